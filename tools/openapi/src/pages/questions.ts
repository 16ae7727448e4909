import { isExecutable, type OpenQuestion } from '@plant-store/contract';

import { ANSWERS_SOURCE } from '../answers/answers-file.js';
import {
  type Block,
  type Item,
  type Page,
  paragraph,
  type Section,
  type Span,
  type Text,
  textOf,
} from '../format/page.js';
import type { Action } from '../overlay/read-overlay.js';

const INTRODUCTION =
  'The interface specification leaves much open: it says "not shown". This page lists each such place, the holes that we found ourselves, and what the software does until somebody answers.';

/** The files that the answers of a page come from. */
export const ANSWER_SOURCES = [ANSWERS_SOURCE, 'libs/contract/spec/answers.overlay.yaml'] as const;

const HOW_TO_ANSWER =
  'An answer is entered twice: in `libs/contract/src/answers.ts`, and in `libs/contract/spec/answers.overlay.yaml` with who answered, when and why. `npm run answer` writes both, and every generated file. If you enter it by hand in one of them, `npx nx run webhook:openapi-diff` prints the lines for the other.';

/** What a page tells of an answer. */
export interface GivenAnswer {
  /** As `plainAnswers` gives it. */
  readonly value: unknown;
  /** The value with its unit: `1000 bytes`. */
  readonly inWords?: string;
  /** Who answered, when and why, as the overlay states it. */
  readonly stated?: Pick<Action, 'answeredBy' | 'date' | 'reason'>;
}

/** Answers by question. */
export type GivenAnswers = Readonly<Record<string, GivenAnswer>>;

/** The register as a page: a table with counts, then the questions by section of the specification. */
export function describeOpenQuestions(
  questions: readonly OpenQuestion[],
  given: GivenAnswers,
  generator: string,
): Page {
  const sections = describeQuestions(questions, given);
  const row = (title: string, some: readonly OpenQuestion[]): Text[] => {
    const notShown = some.filter(({ foundBy }) => foundBy === 'specification').length;
    const answered = some.filter(({ id }) => given[id] !== undefined).length;
    const counts = [notShown, some.length - notShown, some.length - answered, answered];
    return [[title], ...counts.map((count) => [String(count)])];
  };
  return {
    title: 'Open questions',
    blocks: [
      ...paragraph(INTRODUCTION),
      ...paragraph(HOW_TO_ANSWER),
      {
        kind: 'table',
        caption: 'Questions by section of the specification',
        head: ['Section', 'Not shown', 'Found by us', 'Open', 'Answered'],
        rows: [...sections.map((section) => row(section.title, section.questions)), row('All', questions)],
      },
    ],
    sections,
    generator,
    sources: ['libs/contract/src/register', ...ANSWER_SOURCES],
  };
}

/** The headings of the interface specification, in its order. */
const HEADINGS: Readonly<Record<string, string>> = {
  '§1': 'What the service does',
  '§2': 'Resources and their fields',
  '§3': 'States and transitions',
  '§4': 'Endpoints',
  '§5': 'Authentication',
  '§6': 'Events',
  '§7': 'Errors',
  '§8': 'Limits',
  '§9': 'Versioning',
};

/** Questions of one section of the specification. */
interface QuestionSection extends Section {
  readonly questions: readonly OpenQuestion[];
}

/**
 * Questions of the register by section of the specification.
 *
 * @param prefix of the ids of the sections
 * @throws Error if a question names a section that the specification does not have
 */
export function describeQuestions(
  questions: readonly OpenQuestion[],
  given: GivenAnswers,
  prefix = '',
): QuestionSection[] {
  const unknown = questions.find(({ section }) => !(section in HEADINGS));
  if (unknown !== undefined)
    throw new Error(`${unknown.id} names ${unknown.section}, which the specification does not have`);
  return Object.entries(HEADINGS).flatMap(([section, heading]) => {
    const own = questions.filter((question) => question.section === section);
    const sections = own.map((question) => describeQuestion(question, given[question.id]));
    const id = `${prefix}${section}`;
    return own.length === 0
      ? []
      : [{ id, title: `${section} ${heading}`, blocks: [], sections, questions: own }];
  });
}

/** A link to a question, for a place where the document says nothing. */
export function linkToQuestion({ id, title }: OpenQuestion, given: GivenAnswers): Span {
  return { to: id, text: `${given[id] === undefined ? 'open' : 'answered'}: ${title}` };
}

/** The state of a question, then what the software does while it is open, or its answer. */
function describeQuestion(question: OpenQuestion, answer: GivenAnswer | undefined): Section {
  const { id, title, foundBy } = question;
  const by = foundBy === 'specification' ? 'not shown in the specification' : 'found by us';
  const state: Text = answer === undefined ? [`open, ${by}`] : stateOf(answer);
  return {
    id,
    title,
    state: answer === undefined ? 'open' : 'answered',
    blocks: [
      { kind: 'paragraph', text: [{ code: id }, ' · ', ...state] },
      ...paragraph(question.question),
      ...(answer === undefined ? [whileOpen(question)] : [...provenanceOf(answer), ...valueOf(answer)]),
    ],
  };
}

function whileOpen({ id, whileOpen, answer, shows }: OpenQuestion): Block {
  const { receiver, sender, document } = whileOpen;
  const places = shows.join(', ');
  const effect = isExecutable(id)
    ? `It shows in: ${places}.`
    : `It stays in words: the software does not carry it out. It concerns: ${places}.`;
  const items = [
    ['Receiver', receiver],
    ['Sender', sender],
    ['Document', document],
    ['An answer', `${answer} ${effect}`],
  ].flatMap(([name = '', text]): Item[] => (text === undefined ? [] : [{ name, value: textOf(text) }]));
  return { kind: 'list', items };
}

/** The value in words, or a short value itself; in words, whatever is between back quotes is literal. */
function stateOf({ value, inWords }: GivenAnswer): Text {
  if (inWords === undefined && isStructure(value)) return ['answered with the value below'];
  const text = inWords ?? String(value);
  return ['answered: ', ...(text.includes(' ') ? textOf(text) : [{ code: text }])];
}

function provenanceOf({ stated }: GivenAnswer): Block[] {
  if (stated === undefined) return [];
  const { answeredBy, date, reason } = stated;
  const items = Object.entries({ 'Answered by': answeredBy, On: date, Why: reason });
  return [{ kind: 'list', items: items.map(([name, text]) => ({ name, value: textOf(text) })) }];
}

function valueOf({ value }: GivenAnswer): Block[] {
  if (!isStructure(value)) return [];
  return [{ kind: 'code', caption: 'Answer:', language: 'json', code: JSON.stringify(value, null, 2) }];
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
