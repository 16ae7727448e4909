import { isExecutable, type OpenQuestion } from '@plant-store/contract';
import type { Provenance } from '../gate/overlay.js';
import { code, codeBlock, escape, marked, slugOf } from '../markdown.js';
import { HEADINGS, SPECIFICATION } from './specification.js';

/** What a page tells of an answer. */
export interface GivenAnswer {
  /** As `plainAnswers` gives it. */
  readonly value: unknown;
  /** The value with its unit: `1000 bytes`. */
  readonly inWords: string;
  /** Whether software carries it out. */
  readonly isExecutable: boolean;
  /** What the software does now. Where a surface is left out, it does what it did while the question was open. */
  readonly does: OpenQuestion['whileOpen'];
  /** Who answered, when and why, as the overlay states it. */
  readonly signed?: Provenance | undefined;
  /** What is accepted beside the answer, in words. */
  readonly accepted?: string | undefined;
}

/** Answers by question. */
export type GivenAnswers = Readonly<Record<string, GivenAnswer>>;

const INTRODUCTION = `The [interface specification](${SPECIFICATION}) leaves much open: it says "not shown". This page lists each such place, the holes that we found ourselves, and what the software does: until somebody answers, and from then on.

An answer is entered twice: in \`libs/contract/src/answers.ts\`, and in \`libs/contract/spec/answers.overlay.yaml\` with who answered, when and why. \`npm run answer\` writes both, and every generated file. If you enter it by hand in one of them, \`npx nx run webhook:openapi-diff\` prints the lines for the other.

An answer in words is _answered, not carried out_: the software still does what it did while the question was open.

What arrived so far helps to find an answer: \`npx plant-inbox evidence\` shows what the kept deliveries have in common, and \`npx plant-inbox try\` counts those that a proposed answer would refuse ([how](docs/how-to/answer-from-evidence.md)).`;

/** OPEN_QUESTIONS.md: an index with the state of each question, then each question by section of the specification. */
export function renderQuestions(questions: readonly OpenQuestion[], given: GivenAnswers): string {
  const index = bySection(questions).flatMap(([, own]) =>
    own.map(({ id, title }) => `- [${escape(title)}](#${slugOf(title)}): ${stateIn(given[id])}`),
  );
  return ['# Open questions', INTRODUCTION, index.join('\n'), renderSections(questions, given)].join('\n\n');
}

/** `answered since 2026-01-31` */
function stateIn(answer: GivenAnswer | undefined): string {
  if (answer === undefined) return 'open';
  const { isExecutable, signed } = answer;
  const since = signed === undefined ? '' : ` since ${signed.date}`;
  return `answered${since}${isExecutable ? '' : ', not carried out'}`;
}

/** Each question below the heading of its section, as `## §4 Endpoints` and `### HTTP method`. */
export function renderSections(questions: readonly OpenQuestion[], given: GivenAnswers): string {
  return bySection(questions)
    .flatMap(([title, own]) => [
      `## ${title}`,
      ...own.flatMap((question) => renderQuestion(question, given[question.id])),
    ])
    .join('\n\n');
}

/** @throws Error if a question names a section that the specification does not have */
function bySection(questions: readonly OpenQuestion[]): [title: string, own: readonly OpenQuestion[]][] {
  const unknown = questions.find(({ section }) => !(section in HEADINGS));
  if (unknown !== undefined)
    throw new Error(`${unknown.id} names ${unknown.section}, which the specification does not have`);
  return Object.entries(HEADINGS)
    .map(([section, heading]): [string, OpenQuestion[]] => [
      `${section} ${heading}`,
      questions.filter((question) => question.section === section),
    ])
    .filter(([, own]) => own.length > 0);
}

function renderQuestion(question: OpenQuestion, answer: GivenAnswer | undefined): string[] {
  const { id, title, foundBy } = question;
  const by = foundBy === 'specification' ? 'not shown in the specification' : 'found by us';
  const state = answer === undefined ? `open, ${by}` : stateOf(answer);
  const isBelow = answer?.isExecutable === true && isStructure(answer.value);
  return [
    `### ${escape(title)}`,
    `${code(id)} · ${state}`,
    marked(question.question),
    ...(isBelow ? [codeBlock(JSON.stringify(answer.value, null, 2), 'json')] : []),
    renderBehaviour(question, answer),
  ];
}

function stateOf({ value, inWords, isExecutable }: GivenAnswer): string {
  const state = isExecutable ? 'answered' : 'answered, not carried out';
  return isStructure(value) && isExecutable
    ? `${state} with the value below`
    : `${state}: ${marked(inWords)}`;
}

/** What the software does now, and the form of an answer, or who gave it. */
function renderBehaviour(
  { id, whileOpen, answer, shows }: OpenQuestion,
  given: GivenAnswer | undefined,
): string {
  const does = { ...whileOpen, ...given?.does };
  const places = shows.join(', ');
  const effect = isExecutable(id)
    ? `It shows in: ${places}.`
    : `It stays in words: the software does not carry it out. It concerns: ${places}.`;
  const items = {
    Receiver: does.receiver && marked(does.receiver),
    Sender: does.sender && marked(does.sender),
    Document: does.document && marked(does.document),
    'An answer': given === undefined ? marked(`${answer} ${effect}`) : undefined,
    'Accepted too': given?.accepted && escape(given.accepted),
    'Answered by': given?.signed && escape(given.signed.answeredBy),
    On: given?.signed?.date,
    Why: given?.signed && escape(given.signed.reason),
  };
  return Object.entries(items)
    .filter(([, text]) => text !== undefined)
    .map(([name, text = '']) => `- ${name}: ${text}`)
    .join('\n');
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
