import { type ComparedAnswer, type Finding, isClean, passes, tally, tallyLine } from '../gate/gate.js';
import type { Action } from '../gate/overlay.js';
import { formatPlace, nameOf, type Position, textOf } from '../gate/read.js';
import { visible } from '../markdown.js';
import { type Advice, adviceOnAnswer, adviceOnFinding, isExplained, type Presentation } from './advice.js';

/** A finding, an answer, or what changed, as a title and lines below it. */
export interface Entry {
  readonly level: 'error' | 'notice';
  /** `missing: webhooks › /plant/webhook › summary   /webhooks/~1plant~1webhook/summary` */
  readonly title: string;
  /** Where an annotation stands. */
  readonly position: Position | undefined;
  readonly lines: readonly string[];
}

/** A label, and what is told of it. */
type Row = readonly [label: string, words: string];

/** For a terminal: each entry as a block, and the counts as the last line. */
export async function renderText(presentation: Presentation): Promise<string> {
  const blocks = (await entriesOf(presentation)).map(({ title, lines }) => [title, ...lines, ''].join('\n'));
  return [...blocks, `${tallyLine(tally(presentation.report))}\n`].join('\n');
}

/** For a job of GitHub Actions: an annotation for each entry. Empty if there is nothing to report. */
export async function renderGithub(presentation: Presentation): Promise<string> {
  return (await entriesOf(presentation)).map(annotation).join('');
}

/** A workflow command of GitHub at the line of an entry. */
export function annotation({ level, title, position, lines }: Entry): string {
  const escaped = (text: string) =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const properties = Object.entries({ file: position?.file, line: position?.line, title: visible(title) })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
    );
  return `::${level} ${properties.join(',')}::${escaped(lines.join('\n'))}\n`;
}

/**
 * What the gate found, answers first, because facts may follow from them. Of a report that isn't clean, only what fails
 * is listed.
 */
async function entriesOf(presentation: Presentation): Promise<Entry[]> {
  const { report } = presentation;
  const isListed = isClean(report) ? () => true : (one: Finding | ComparedAnswer) => !passes(one);
  const findings = report.findings.filter(isListed).filter((finding) => !isExplained(finding, presentation));
  const answers = report.answers.filter(isListed).map((compared) => entryOfAnswer(compared, presentation));
  return [
    ...(await Promise.all(answers)),
    ...findings.map((finding) => entryOfFinding(finding, presentation)),
  ];
}

function entryOfFinding(finding: Finding, presentation: Presentation): Entry {
  const { state, reason, pointer, stated, shown, action } = finding;
  const section = action === undefined && stated?.place.comment ? ` (${stated.place.comment})` : '';
  const name = `${reason === undefined ? state : `${state}, ${reason}`}: ${nameOf(pointer)}`;
  return {
    level: passes(finding) ? 'notice' : 'error',
    title: visible(`${name}   ${pointer}`),
    position: action?.place ?? stated?.place ?? shown?.place,
    lines: [
      ...rowOf(action === undefined ? 'specification' : 'stated', stated?.text, stated?.place, section),
      ...rowOf('document', shown?.text, shown?.place),
      ...(action === undefined ? [] : told(['answer', `question ${action.question}, ${signature(action)}`])),
      ...toDo(adviceOnFinding(finding, presentation)),
    ],
  };
}

async function entryOfAnswer(compared: ComparedAnswer, presentation: Presentation): Promise<Entry> {
  const { state, question, action, entered } = compared;
  const missing = action === undefined ? ', not in the overlay' : ', not in the code';
  return {
    level: passes(compared) ? 'notice' : 'error',
    title: visible(`${state}: ${question}${state === 'missing answer' ? missing : ''}`),
    position: action?.place ?? entered,
    lines: [
      ...rowOf('overlay', action?.answer && textOf(action.answer), action?.answer?.place),
      ...rowOf('code', entered && textOf(entered.value), entered),
      ...(action === undefined ? [] : told(['answer', signature(action)])),
      ...toDo(await adviceOnAnswer(compared, presentation)),
    ],
  };
}

/** What one side states, and where. */
function rowOf(label: string, value: string | undefined, at: Position | undefined, beside = ''): string[] {
  const place = `${at === undefined ? '' : formatPlace(at)}${beside}`;
  return value === undefined ? [] : told([label, place === '' ? value : `${value}   ${place}`]);
}

/** What to do, and below it the lines to paste, indented as they have to be where they belong. */
function toDo(advice: readonly Advice[]): string[] {
  const rows = advice.map(({ text }, index): Row => [index === 0 ? 'to do' : '', text]);
  return [...told(...rows), ...advice.flatMap(({ lines }) => (lines === undefined ? [] : ['', lines]))];
}

function told(...rows: readonly Row[]): string[] {
  return rows.map(([label, words]) => `  ${label.padEnd(15)}${visible(words)}`);
}

/** Who answered, when and why, and where that is written. */
function signature({ answeredBy, date, reason, place }: Action): string {
  return `answered by ${answeredBy} on ${date}: ${reason} (${formatPlace(place)})`;
}
