import { type Entry, formatGithub, formatText, statement, words } from '../format/entry.js';
import { code, escape, table } from '../format/markdown.js';
import { formatPosition, positionOf, type ProducerOf, statementOf } from '../format/position.js';
import { plainName } from '../read/json-pointer.js';
import { visible } from '../read/visible.js';
import type { Change, Verdict } from './changes.js';
import type { ListedRule } from './list-rules.js';
import type { Party } from './unit.js';

/** What a reader of changes needs beside them. */
export interface ChangesPresentation {
  readonly changes: readonly Change[];
  readonly producerOf: ProducerOf;
}

export type FormatChanges = (presentation: ChangesPresentation) => string;

const PARTIES: readonly Party[] = ['receiver', 'sender', 'client'];
const VERDICTS: readonly Verdict[] = ['breaking', 'unclassified', 'not breaking'];

/** For a terminal: each change as a block, and the counts as the last line. */
const text: FormatChanges = ({ changes, producerOf }) =>
  formatText(
    changes.map((change) => entryOf(change, producerOf)),
    countsLine(changes),
  );

/** For programs; values are JSON text. */
const json: FormatChanges = ({ changes, producerOf }) => {
  const listed = changes.map(({ before, after, ...change }) => ({
    ...change,
    name: plainName(change.pointer),
    before: before && statementOf(before),
    after: after && statementOf(after),
    producer: producerOf(change.pointer),
  }));
  return `${JSON.stringify({ counts: counts(changes), changes: listed }, null, 2)}\n`;
};

/** For a pull request: a table of what may break somebody, and the rest folded. Nothing if nothing changed. */
const markdown: FormatChanges = ({ changes }) => {
  if (changes.length === 0) return '';
  const telling = changes.filter(({ verdict }) => verdict !== 'not breaking');
  const harmless = changes.filter(({ verdict }) => verdict === 'not breaking');
  const parts = [`**${countsLine(changes)}**`];
  if (telling.length > 0) parts.push(changesTable(telling));
  if (harmless.length > 0) {
    parts.push(
      `<details>\n<summary>${harmless.length} not breaking</summary>\n\n${changesTable(harmless)}\n\n</details>`,
    );
  }
  return `${parts.join('\n\n')}\n`;
};

/** For a job of GitHub Actions: an annotation for each change that may break somebody, and the counts. */
const github: FormatChanges = ({ changes, producerOf }) => {
  const telling = changes.filter(({ verdict }) => verdict !== 'not breaking');
  const entries = telling.map((change) => entryOf(change, producerOf));
  return changes.length === 0 ? '' : formatGithub(entries, 'notice', countsLine(changes));
};

export const FORMATS = { text, json, markdown, github };

/** One line for each kind of change. */
export function formatRules(rules: readonly ListedRule[]): string {
  const width = Math.max(...rules.map(({ id }) => id.length)) + 3;
  return rules.map(({ id, what, breaks }) => `${id.padEnd(width)}${what}; breaks: ${breaks}\n`).join('');
}

function entryOf(change: Change, producerOf: ProducerOf): Entry {
  const { id, verdict, what, pointer, alsoAt, before, after } = change;
  const producer = producerOf(pointer);
  return {
    level: verdict === 'breaking' ? 'error' : 'warning',
    title: `${verdict}: ${what}: ${plainName(pointer)}`,
    pointer,
    position: producer ?? (after && positionOf(after.place)),
    details: [
      ...words('rule', id),
      ...concerned(change).flatMap(([party, one]) => words(`for a ${party}`, one)),
      ...statement('before', before && statementOf(before)),
      ...statement('after', after && statementOf(after)),
      ...words('also at', [...alsoAt.map(visible), ...morePlaces(change)].join('\n')),
      ...words('comes from', producer && formatPosition(producer)),
    ],
    advice: [],
  };
}

function counts(changes: readonly Change[]): Record<Verdict, number> {
  const count = (wanted: Verdict) => changes.filter(({ verdict }) => verdict === wanted).length;
  return {
    breaking: count('breaking'),
    unclassified: count('unclassified'),
    'not breaking': count('not breaking'),
  };
}

/** `1 breaking, 0 unclassified, 2 not breaking` */
function countsLine(changes: readonly Change[]): string {
  const counted = counts(changes);
  return VERDICTS.map((verdict) => `${counted[verdict]} ${verdict}`).join(', ');
}

function concerned({ verdicts }: Change): [Party, Verdict][] {
  return PARTIES.flatMap((party): [Party, Verdict][] => {
    const verdict = verdicts[party];
    return verdict === undefined ? [] : [[party, verdict]];
  });
}

/** `and 990 more places`, if not all are listed. */
function morePlaces({ more }: Change): string[] {
  return more === 0 ? [] : [`and ${more} more ${more === 1 ? 'place' : 'places'}`];
}

function changesTable(changes: readonly Change[]): string {
  const parties = PARTIES.filter((party) => changes.some(({ verdicts }) => verdicts[party] !== undefined));
  const head = ['Change', ...parties.map((party) => `For a ${party}`), 'Before', 'After'];
  const rows = changes.map((change) => {
    const { id, what, pointer, alsoAt, verdicts, before, after } = change;
    const places = [...[pointer, ...alsoAt].map(code), ...morePlaces(change)];
    return [
      [escape(what), code(id), escape(plainName(pointer)), ...places].join('<br>'),
      ...parties.map((party) => verdicts[party] ?? ''),
      before === undefined ? 'nothing' : code(before.text),
      after === undefined ? 'nothing' : code(after.text),
    ];
  });
  return table(head, rows);
}
