import { isExecutable, type OpenQuestion, openQuestions } from '@plant-store/contract';
import { type Ledger, type LedgerEntry, wordsOf } from '../ledger.js';
import { code, codeBlock, escape, marked, slugOf } from '../markdown.js';
import { HEADINGS, SPECIFICATION } from './specification.js';

/** What a reader of the page needs first. */
const introduction = (
  open: number,
): string => `The [interface specification](${SPECIFICATION}) says "not shown" of much, and we found more that it leaves open. **${open} of ${QUESTIONS.length} questions are open.** Each says what the software does until somebody answers.

To answer one, paste its line into \`libs/contract/src/answers.ts\`, write the answer, who gave it, when and why, and run \`npm run generate\` ([how](docs/how-to/answer-a-question.md)). Every value on this page is **an example that nobody gave**. With \`inWords: '…'\` instead of \`is\`, an answer is _not carried out_: the software goes on as before.

[What arrived so far](docs/how-to/answer-a-question.md#find-an-answer-in-what-arrives) helps to find an answer.`;

/** Every question, also as it is without an answer. */
const QUESTIONS: readonly OpenQuestion[] = openQuestions;

/**
 * OPEN_QUESTIONS.md: an index with the state of each question, then each question by section of the specification.
 *
 * @param examples the text of the module with the example answers
 */
export function renderQuestions(ledger: Ledger, examples: string): string {
  const open = QUESTIONS.filter(({ id }) => ledger[id] === undefined).length;
  const index = bySection().map(([section, own]) => {
    const questions = own.map(
      ({ id, title }) => `[${escape(title)}](#${slugOf(title)})${stateIn(ledger[id])}`,
    );
    return `- ${section}: ${questions.join(' · ')}`;
  });
  return ['# Open questions', introduction(open), index.join('\n'), renderSections(ledger, examples)].join(
    '\n\n',
  );
}

/** ` (answered since 2026-01-31)`; of an open question nothing. */
function stateIn(answer: LedgerEntry | undefined): string {
  if (answer === undefined) return '';
  return ` (answered since ${answer.on}${answer.inWords === undefined ? '' : ', not carried out'})`;
}

/**
 * Each question below the heading of its section, as `## §4 Endpoints` and `### HTTP method`.
 *
 * @param examples as above; without it, no question has a line to paste
 */
export function renderSections(ledger: Ledger, examples?: string): string {
  return bySection()
    .flatMap(([title, own]) => [
      `## ${title}`,
      ...own.flatMap((question) => renderQuestion(question, ledger, examples)),
    ])
    .join('\n\n');
}

/** @throws Error if a question names a section that the specification does not have */
function bySection(): [title: string, own: readonly OpenQuestion[]][] {
  const unknown = QUESTIONS.find(({ section }) => !(section in HEADINGS));
  if (unknown !== undefined)
    throw new Error(`${unknown.id} names ${unknown.section}, which the specification does not have`);
  return Object.entries(HEADINGS)
    .map(([section, heading]): [string, OpenQuestion[]] => [
      `${section} ${heading}`,
      QUESTIONS.filter((question) => question.section === section),
    ])
    .filter(([, own]) => own.length > 0);
}

function renderQuestion(question: OpenQuestion, ledger: Ledger, examples: string | undefined): string[] {
  const { id, title, foundBy } = question;
  const answer = ledger[id];
  const by = foundBy === 'specification' ? 'not shown in the specification' : 'found by us';
  return [
    `### ${escape(title)}`,
    `${code(id)} · ${answer === undefined ? `open, ${by}` : stateOf(answer)}`,
    marked(question.question),
    ...(isStructure(answer?.is) ? [codeBlock(JSON.stringify(answer?.is, null, 2), 'json')] : []),
    renderBehaviour(question, answer, ledger),
    ...(answer === undefined && examples !== undefined ? [codeBlock(codeToPaste(id, examples), 'ts')] : []),
  ];
}

function stateOf(answer: LedgerEntry): string {
  if (answer.inWords !== undefined) return `answered, not carried out: ${escape(answer.inWords)}`;
  return isStructure(answer.is) ? 'answered with the value below' : `answered: ${code(wordsOf(answer))}`;
}

/** What the software does now, and the form of an answer, or who gave it. */
function renderBehaviour(question: OpenQuestion, given: LedgerEntry | undefined, ledger: Ledger): string {
  const { id, whileOpen, answer, answered, beside = [] } = question;
  const isCarried = given !== undefined && given.inWords === undefined;
  const does = isCarried ? { ...whileOpen, ...answered } : whileOpen;
  const effect = isExecutable(id) ? '' : ' In words only.';
  const missing = beside.filter((other) => ledger[other]?.is === undefined).map(code);
  const items = {
    Receiver: does.receiver && marked(does.receiver),
    Sender: does.sender && marked(does.sender),
    Document: does.document && marked(does.document),
    'Shows only beside an answer to': isCarried && missing.length > 0 ? missing.join(', ') : undefined,
    'An answer': given === undefined ? marked(`${answer}${effect}`) : undefined,
    'Answered by': given && escape(given.who),
    On: given?.on,
    Why: given && escape(given.why),
  };
  return Object.entries(items)
    .filter(([, text]) => text !== undefined)
    .map(([name, text = '']) => `- ${name}: ${text}`)
    .join('\n');
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** The entry of answers.ts, and what it needs. */
function codeToPaste(id: string, examples: string): string {
  const line = lineToPaste(id, examples);
  if (!/\bz\./.test(line)) return line;
  return `// npm install zod --save-prod --save-exact --workspace @plant-store/contract
import { z } from 'zod'; // the first line of the file

${line}`;
}

/** The entry of answers.ts with the example of a question, as its module has it, or in words. */
export function lineToPaste(id: string, examples: string): string {
  const name = id.includes('-') ? `'${id}'` : id;
  const members = "who: '…', on: '2026-01-31', why: '…'";
  if (!isExecutable(id)) return `${name}: { inWords: '…', ${members} },`;
  const source = exampleIn(examples, name);
  if (!source.includes('\n')) return `${name}: { is: ${source}, ${members} },`;
  return [
    `${name}: {`,
    `  is: ${source},`,
    ...members.split(', ').map((member) => `  ${member},`),
    '},',
  ].join('\n');
}

/** The source of an example: from its name to the next line that is indented as it is, unless that closes it. */
function exampleIn(examples: string, name: string): string {
  const lines = examples.split('\n');
  const first = lines.findIndex((line) => line.startsWith(`  ${name}: `));
  const next = lines.findIndex((line, index) => index > first && /^(?: {2}[^\s)\]}]|\})/.test(line));
  const source = lines.slice(first, next).join('\n');
  return source.slice(`  ${name}: `.length).replace(/,$/, '');
}
