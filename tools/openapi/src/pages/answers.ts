import { isExecutable, openQuestions, plainAnswers, type QuestionId } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { type AnswerDifference, differenceOf, effectLines } from '../effects/effects.js';
import { code, marked, table } from '../markdown.js';

const HEAD = `# What an answer changes

This page answers every open question with an **example that nobody gave** ([kinds](../../libs/contract/src/kinds)) and says what each answer changes, once the others are given. To answer a question: [Answer a question](../how-to/answer-a-question.md).

A test makes the same observations of the built software with and without each answer: of the receiver, the sender and the sender's types. It fails if an answer shows elsewhere than in this table. What an answer adds to the OpenAPI document is what the [example overlay](../../libs/example-answers/example-answers.overlay.yaml) states: the gate passes with an answer on both sides, and fails if it is only in the code or only in the overlay.

- Rollout: whether to deploy the answer to receivers or to senders first, if it was open before ([how to deploy an answer](../how-to/answer-a-question.md#deploy-an-answer)). Version step: that of the SDK and of the contract. A test runs old and new senders against old and new receivers, and compiles old code with new types.
- A prefix of the path, and time-outs of more than 30 s, also change the files of nginx in [deploy](../../deploy).`;

/** Where an answer may show. */
const SURFACES = ['receiver', 'sender', 'types', 'document'] as const;

const PLAIN = plainAnswers(exampleAnswers);

/** docs/reference/answers.md: the table of the questions whose answer is carried out, the others, and a section for each. */
export function renderAnswers(): string {
  const executableOf = openQuestions.filter(({ id }) => isExecutable(id));
  const inWords = openQuestions.filter(({ id }) => !isExecutable(id));
  const rows = executableOf.map(({ id, shows }) => {
    const { rollout, step } = effectOfExample(id);
    const shown = SURFACES.map((surface) => (shows.some((one) => one === surface) ? 'yes' : '–'));
    return [`[${code(id)}](#${id})`, ...shown, rollout.order, step];
  });
  return [
    HEAD,
    table(['Question', 'Receiver', 'Sender', 'Types', 'Document', 'Rollout', 'Version step'], rows),
    `These are answered in words, which the software can't carry out. An answer shows in the documents alone, may be deployed in any order, and is a patch: ${inWords.map(({ id }) => code(id)).join(', ')}. So is any other answer in words.`,
    ...executableOf.flatMap(({ id, title }) => [
      `## ${id}`,
      `${title}: ${code(JSON.stringify(PLAIN[id]))}`,
      effectLines(effectOfExample(id))
        .map((line) => `- ${marked(line)}`)
        .join('\n'),
    ]),
  ].join('\n\n');
}

/** What the example answer means, once every other question is answered. */
function effectOfExample(id: QuestionId): AnswerDifference {
  return differenceOf({ ...PLAIN, [id]: undefined }, PLAIN)[0]!;
}
