import {
  type ExecutableId,
  isExecutable,
  openQuestions,
  plainAnswers,
  type QuestionId,
  type Surface,
} from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { type AnswerEffect, effectOf } from '../effects/effects.js';
import { code, marked, table } from '../markdown.js';
import { SURFACES } from './matrix.js';
import { builtOn, changesOf, ROWS, seenWith } from './rows.js';

const HEAD = `# What an answer changes

This page answers every open question with an **example that nobody gave** ([libs/example-answers](../libs/example-answers/src/example-answers.ts)) and lists what changes. To answer a question: [answering.md](answering.md).

A test compares this page with the built software. It makes the same observations with and without each answer: of the receiver, the sender and the sender's types. It fails if an answer changes more than this page says, or less. What an answer adds to the OpenAPI document is what the [example overlay](../libs/example-answers/example-answers.overlay.yaml) states: the gate passes with an answer on both sides, and fails if it is only in the code or only in the overlay.

- The numbers count the changes that can be seen from outside. The sections below list them. \`–\`: nothing changes.
- Rollout: whether to deploy the answer to receivers or to senders first, if it was open before ([how to deploy an answer](answering.md#deploy-an-answer)). Version step: that of the SDK and of the contract. A test runs old and new senders against old and new receivers, and compiles old code with new types.`;

const PLAIN = plainAnswers(exampleAnswers);

/** docs/answers.md: the table of the questions whose answer is carried out, the others, and a section for each. */
export function renderMatrix(): string {
  const carriedOut = openQuestions.flatMap(({ id, title, shows }) =>
    isExecutable(id) ? [{ id, title, shows }] : [],
  );
  const inWords = openQuestions.flatMap(({ id }) => (isExecutable(id) ? [] : [id]));
  const head = ['Question', ...SURFACES.map(capitalized), 'Document', 'Rollout', 'Version step'];
  return [
    HEAD,
    table(
      head,
      carriedOut.map(({ id, shows }) => matrixRow(id, shows)),
    ),
    `These are answered in words, which the software can't carry out. An answer shows in the documents alone, may be deployed in any order, and is a patch: ${inWords.map(code).join(', ')}. So is any other answer in words.`,
    ...carriedOut.map(({ id, title }) => section(id, title)),
  ].join('\n\n');
}

function matrixRow(id: ExecutableId, shows: readonly Surface[]): string[] {
  const { rollout, step } = effectOfExample(id);
  const observed = SURFACES.map((surface) => cell(id, surface));
  const document = shows.includes('document') ? 'yes' : '–';
  return [`[${code(id)}](#${id})`, ...observed, document, rollout.order, step];
}

/** How many changes a surface shows, or with which other answer it shows one. */
function cell(id: ExecutableId, surface: (typeof SURFACES)[number]): string {
  const { [surface]: changes }: { readonly [Name in typeof surface]?: unknown } = ROWS[id];
  if (typeof changes === 'string') return changes.replace(/^with (.*)$/, 'with `$1`');
  return String(Object.keys(changesOf(id)[surface]).length || '–');
}

function section(id: ExecutableId, title: string): string {
  const others = builtOn(id);
  const before = seenWith(others);
  const rows = SURFACES.flatMap((surface) =>
    Object.entries(changesOf(id)[surface]).map(([name, after]) => [
      capitalized(surface),
      marked(name),
      code(before[surface][name] ?? ''),
      code(after),
    ]),
  );
  const base =
    others.length === 0
      ? 'Every other question is open.'
      : `${others.map(code).join(', ')} ${others.length === 1 ? 'is' : 'are'} answered too.`;
  return [
    `## ${id}`,
    `${title}: ${code(JSON.stringify(PLAIN[id]))}. ${base}`,
    table(['Where', 'What', 'Open', 'Answered'], rows),
    effectList(effectOfExample(id)).join('\n'),
  ].join('\n\n');
}

/** What the example answer means, once the answers that it is built on are given. */
function effectOfExample(id: QuestionId & ExecutableId): AnswerEffect {
  const others = Object.fromEntries(builtOn(id).map((other) => [other, PLAIN[other]]));
  return effectOf(id, undefined, PLAIN[id], others);
}

function effectList({ receiver, sender, rollout, step }: AnswerEffect): string[] {
  return [
    ...(receiver === undefined ? [] : [`- Receiver: ${marked(receiver)}`]),
    ...(sender === undefined ? [] : [`- Sender: ${marked(sender)}`]),
    `- Rollout: **${rollout.order}**. ${marked(rollout.reason)}`,
    `- Version step: **${step}**.`,
  ];
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
