import { type ComparedAnswer, type Finding, isClean, passes, tally, tallyLine } from '../gate/gate.js';
import type { Action } from '../gate/overlay.js';
import { formatPlace, type Position, stepsOf, textOf } from '../gate/read.js';
import { code, codeBlock, escape, table, visible } from '../markdown.js';
import { type Advice, adviceOnAnswer, adviceOnFinding, isExplained, type Presentation } from './advice.js';

/** A finding or an answer in words. */
interface Entry {
  readonly level: 'error' | 'notice';
  /** `missing: webhooks › /plant/webhook › summary` */
  readonly title: string;
  /** JSON Pointer of a finding. */
  readonly pointer?: string;
  /** Where an annotation stands. */
  readonly position: Position | undefined;
  /** A label, then a JSON value, words, or both. */
  readonly details: readonly Detail[];
  readonly advice: readonly Advice[];
}

interface Detail {
  readonly label: string;
  readonly value?: string;
  readonly words?: string;
}

/** The place of a fact as a person reads it: `webhooks › /plant/webhook › summary`. */
export function nameOf(pointer: string): string {
  return stepsOf(pointer).join(' › ');
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
  return {
    level: passes(finding) ? 'notice' : 'error',
    title: `${reason === undefined ? state : `${state}, ${reason}`}: ${nameOf(pointer)}`,
    pointer,
    position: action?.place ?? stated?.place ?? shown?.place,
    details: [
      ...statement(action === undefined ? 'specification' : 'stated', stated?.text, stated?.place, section),
      ...statement('document', shown?.text, shown?.place),
      ...(action === undefined
        ? []
        : [{ label: 'answer', words: `question ${action.question}, ${signature(action)}` }]),
    ],
    advice: adviceOnFinding(finding, presentation),
  };
}

async function entryOfAnswer(compared: ComparedAnswer, presentation: Presentation): Promise<Entry> {
  const { state, question, action, entered } = compared;
  const missing = action === undefined ? ', not in the overlay' : ', not in the code';
  return {
    level: passes(compared) ? 'notice' : 'error',
    title: `${state}: ${question}${state === 'missing answer' ? missing : ''}`,
    position: action?.place ?? entered,
    details: [
      ...statement('overlay', action?.answer && textOf(action.answer), action?.answer?.place),
      ...statement('code', entered && textOf(entered.value), entered),
      ...(action === undefined ? [] : [{ label: 'answer', words: signature(action) }]),
    ],
    advice: await adviceOnAnswer(compared, presentation),
  };
}

function statement(
  label: string,
  value: string | undefined,
  at: Position | undefined,
  beside = '',
): Detail[] {
  return value === undefined
    ? []
    : [{ label, value, words: `${at === undefined ? '' : formatPlace(at)}${beside}` }];
}

/** Who answered, when and why, and where that is written. */
function signature({ answeredBy, date, reason, place }: Action): string {
  return `answered by ${answeredBy} on ${date}: ${reason} (${formatPlace(place)})`;
}

/** For a terminal: each entry as a block, and the counts as the last line. */
export async function renderText(presentation: Presentation): Promise<string> {
  const blocks = (await entriesOf(presentation)).map(({ title, pointer = '', details, advice }) => {
    const rows = [
      ...details,
      ...advice.map(({ text }, index) => ({ label: index === 0 ? 'to do' : '', words: text })),
    ];
    const lines = rows.map((row) => `  ${row.label.padEnd(15)}${visible(wordsOf(row, '   '))}`);
    // Lines to paste are indented as they have to be where they belong.
    const pasted = advice.flatMap(({ lines }) => (lines === undefined ? [] : [`\n${lines}\n`]));
    return [visible(`${title}   ${pointer}`).trimEnd(), ...lines, pasted.join('')].join('\n');
  });
  return [...blocks, `${tallyLine(tally(presentation.report))}\n`].join('\n');
}

/** For a pull request: the counts, a table, and lines to paste below it. */
export async function renderMarkdown(presentation: Presentation): Promise<string> {
  const entries = await entriesOf(presentation);
  const rows = entries.map(({ title, pointer, details, advice }) => [
    [escape(title), ...(pointer === undefined ? [] : [code(pointer)])].join('<br>'),
    details
      .map(
        ({ label, value, words = '' }) =>
          `${label}: ${value === undefined ? '' : `${code(value)} `}${escape(words)}`,
      )
      .join('<br>'),
    advice.map(({ text }) => escape(text)).join('<br>'),
  ]);
  const pasted = entries.flatMap(({ title, advice }) =>
    advice.flatMap(({ text, lines }) =>
      lines === undefined ? [] : [`${escape(title)}. ${escape(text)}\n\n${codeBlock(lines)}`],
    ),
  );
  const found = rows.length === 0 ? [] : [table(['Finding', 'Details', 'What to do'], rows)];
  return `${[`**${tallyLine(tally(presentation.report))}**`, ...found, ...pasted].join('\n\n')}\n`;
}

/** For a job of GitHub Actions: an annotation for each entry. Empty if there is nothing to report. */
export async function renderGithub(presentation: Presentation): Promise<string> {
  return (await entriesOf(presentation)).map(annotation).join('');
}

/** A workflow command of GitHub at the line of an entry. */
export function annotation({ level, title, position, details, advice }: Entry): string {
  const lines = [
    ...details.map((detail) => visible(`${detail.label}: ${wordsOf(detail, ' ')}`)),
    ...advice.flatMap(({ text, lines = [] }) => [text].concat(lines)),
  ];
  const escaped = (text: string) =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const properties = Object.entries({ file: position?.file, line: position?.line, title: visible(title) })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
    );
  return `::${level} ${properties.join(',')}::${escaped(lines.join('\n'))}\n`;
}

function wordsOf({ value, words }: Detail, between: string): string {
  return [value, words].filter((part) => part !== undefined && part !== '').join(between);
}
