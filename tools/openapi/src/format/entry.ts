import { visible } from '../read/visible.js';
import { formatPosition, type Position, type Statement } from './position.js';

/** A finding, an answer or a change, in words. */
export interface Entry {
  readonly level: 'error' | 'warning' | 'notice';
  /** `missing: webhooks › /plant/webhook › summary` */
  readonly title: string;
  /** JSON Pointer of a finding or a change. */
  readonly pointer: string;
  /** Where an annotation stands. */
  readonly position: Position | undefined;
  readonly details: readonly Detail[];
  readonly advice: readonly Advice[];
}

/** One thing to know: a value as JSON text, words, or a value with words beside it. */
export interface Detail {
  readonly label: string;
  readonly value?: string;
  readonly words?: string;
}

/** What to do, as a sentence, and lines that can be pasted as they are. */
export interface Advice {
  readonly text: string;
  readonly lines?: string;
}

/** A value and where it is written; nothing for no value. */
export function statement(label: string, stated: Statement | undefined, beside = ''): Detail[] {
  return stated === undefined
    ? []
    : [{ label, value: stated.value, words: `${formatPosition(stated)}${beside}` }];
}

/** Words; nothing for no words. */
export function words(label: string, text: string | undefined): Detail[] {
  return text === undefined || text === '' ? [] : [{ label, words: text }];
}

/** For a terminal: each entry as a block, and the counts as the last line. */
export function formatText(entries: readonly Entry[], counts: string): string {
  const blocks = entries.map(({ title, pointer, details, advice }) => {
    const rows = [...details, ...words('to do', advice.map(({ text }) => text).join('\n'))];
    const lines = rows.flatMap((detail) =>
      wordsOf(detail, '   ')
        .split('\n')
        .map((line, index) => `  ${(index === 0 ? detail.label : '').padEnd(15)}${visible(line)}`),
    );
    // Lines to paste are indented as they have to be where they belong.
    const pasted = advice.flatMap((one) => (one.lines === undefined ? [] : [`\n${one.lines}\n`]));
    return [visible(`${title}   ${pointer}`).trimEnd(), ...lines, pasted.join('')].join('\n');
  });
  return [...blocks, `${counts}\n`].join('\n');
}

/** For a job of GitHub Actions: each entry as an annotation, and one with the counts. */
export function formatGithub(entries: readonly Entry[], level: Entry['level'], counts: string): string {
  const annotations = entries.map((entry) => {
    const details = entry.details.map(
      (detail) => `${detail.label}: ${wordsOf(detail, ' ').split('\n').map(visible).join('\n')}`,
    );
    const advice = entry.advice.flatMap(({ text, lines = [] }) => [text].concat(lines));
    return `::${entry.level} ${propertiesOf(entry)}::${escape([...details, ...advice].join('\n'))}`;
  });
  return `${[...annotations, `::${level}::${counts}`].join('\n')}\n`;
}

function wordsOf({ value, words }: Detail, between: string): string {
  return [value, words].filter((part) => part !== undefined).join(between);
}

/** Of a workflow command, in which `:` and `,` are marks. */
function propertiesOf({ position, title }: Entry): string {
  return Object.entries({ file: position?.file, line: position?.line, title: visible(title) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escape(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`)
    .join(',');
}

function escape(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
