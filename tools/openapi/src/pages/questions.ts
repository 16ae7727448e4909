import { type Answers, type OpenQuestion, plainAnswers } from '@plant-store/contract';
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

const INTRODUCTION =
  'The interface specification leaves much open: it says "not shown". This page lists each such place, the holes that we found ourselves, and what the software does until somebody answers.';

const HOW_TO_ANSWER =
  'An answer is entered twice: in `libs/contract/src/answers.ts`, and in `libs/contract/spec/answers.overlay.yaml` with who answered, when and why. Enter it in one of them, then run `npx nx run webhook:openapi-diff`: it prints the lines for the other.';

/** The register as a page: a table with counts, then the questions by section of the specification. */
export function describeOpenQuestions(
  questions: readonly OpenQuestion[],
  answers: Answers,
  generator: string,
): Page {
  const given = plainAnswers(answers);
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
    sources: ['libs/contract/src/register', 'libs/contract/src/answers.ts'],
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
 * @param answers as `plainAnswers` gives them
 * @param prefix of the ids of the sections
 * @throws Error if a question names a section that the specification does not have
 */
export function describeQuestions(
  questions: readonly OpenQuestion[],
  answers: Readonly<Record<string, unknown>>,
  prefix = '',
): QuestionSection[] {
  const unknown = questions.find(({ section }) => !(section in HEADINGS));
  if (unknown !== undefined)
    throw new Error(`${unknown.id} names ${unknown.section}, which the specification does not have`);
  return Object.entries(HEADINGS).flatMap(([section, heading]) => {
    const own = questions.filter((question) => question.section === section);
    const sections = own.map((question) => describeQuestion(question, answers[question.id]));
    const id = `${prefix}${section}`;
    return own.length === 0
      ? []
      : [{ id, title: `${section} ${heading}`, blocks: [], sections, questions: own }];
  });
}

/** A link to a question, for a place where the document says nothing. */
export function linkToQuestion(
  { id, title }: OpenQuestion,
  answers: Readonly<Record<string, unknown>>,
): Span {
  return { to: id, text: `${answers[id] === undefined ? 'open' : 'answered'}: ${title}` };
}

/** The state of a question, then what the software does while it is open, or its answer. */
function describeQuestion(question: OpenQuestion, answer: unknown): Section {
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
      ...(answer === undefined ? [whileOpen(question)] : valueOf(answer)),
    ],
  };
}

function whileOpen({ whileOpen, answer, shows }: OpenQuestion): Block {
  const { receiver, sender, document } = whileOpen;
  const items = [
    ['Receiver', receiver],
    ['Sender', sender],
    ['Document', document],
    ['An answer', `${answer} It shows in: ${shows.join(', ')}.`],
  ].flatMap(([name = '', text]): Item[] => (text === undefined ? [] : [{ name, value: textOf(text) }]));
  return { kind: 'list', items };
}

/** A short value stands beside the state; in words, whatever is between back quotes is literal. */
function stateOf(answer: unknown): Text {
  if (isStructure(answer)) return ['answered with the value below'];
  const text = String(answer);
  return ['answered: ', ...(text.includes(' ') ? textOf(text) : [{ code: text }])];
}

function valueOf(answer: unknown): Block[] {
  if (!isStructure(answer)) return [];
  return [{ kind: 'code', caption: 'Answer:', language: 'json', code: JSON.stringify(answer, null, 2) }];
}

function isStructure(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null;
}
