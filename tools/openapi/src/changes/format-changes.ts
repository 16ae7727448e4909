import { type Entry, formatGithub, formatText, statement, words } from '../format/entry.js';
import { code, escape, table } from '../format/markdown.js';
import { formatPosition, positionOf, type ProducerOf, statementOf } from '../format/position.js';
import { plainName, pointerSteps } from '../read/json-pointer.js';
import { visible } from '../read/visible.js';
import type { Witness } from '../witnesses/find-witness.js';
import { type Change, type Verdict, VERDICTS } from './changes.js';
import type { ListedRule } from './list-rules.js';
import type { Party } from './unit.js';

/** What a reader of changes needs beside them. */
export interface ChangesPresentation {
  readonly changes: readonly Change[];
  readonly producerOf: ProducerOf;
}

export type FormatChanges = (presentation: ChangesPresentation) => string;

const PARTIES: readonly Party[] = ['receiver', 'sender', 'client'];

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
  const telling = changes.filter((change) => !isHarmless(change));
  const harmless = changes.filter(isHarmless);
  const parts = [`**${countsLine(changes)}**`];
  if (telling.length > 0) parts.push(changesTable(telling));
  if (harmless.length > 0) {
    const counted = counts(harmless);
    const summary = HARMLESS.flatMap((one) => (counted[one] > 0 ? `${counted[one]} ${one}` : [])).join(', ');
    parts.push(`<details>\n<summary>${summary}</summary>\n\n${changesTable(harmless)}\n\n</details>`);
  }
  return `${parts.join('\n\n')}\n`;
};

/** For a job of GitHub Actions: an annotation for each change that may break somebody, and the counts. */
const github: FormatChanges = ({ changes, producerOf }) => {
  const telling = changes.filter((change) => !isHarmless(change));
  const entries = telling.map((change) => entryOf(change, producerOf));
  return changes.length === 0 ? '' : formatGithub(entries, 'notice', countsLine(changes));
};

const HARMLESS: readonly Verdict[] = ['additive', 'not breaking'];

function isHarmless({ verdict }: Change): boolean {
  return HARMLESS.includes(verdict);
}

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
      ...witnessesOf(change).map(([party, witness]) => ({
        label: 'witness',
        value: shortValue(witness),
        words: `${placeOf(witness)} breaks a ${party}: ${visible(witness.reason)}`,
      })),
      ...statement('before', before && statementOf(before)),
      ...statement('after', after && statementOf(after)),
      ...words('also at', [...alsoAt.map(visible), ...morePlaces(change)].join('\n')),
      ...words('comes from', producer && formatPosition(producer)),
    ],
    advice: [],
  };
}

function witnessesOf({ witnesses }: Change): [Party, Witness][] {
  return PARTIES.flatMap((party): [Party, Witness][] => {
    const witness = witnesses[party];
    return witness === undefined ? [] : [[party, witness]];
  });
}

const MAX_SHORT = 60;

/** What the witness has at the place of the change. The whole is in the JSON. */
function shortValue({ value, at }: Witness): string {
  const part = pointerSteps(at).reduce(
    (one: unknown, step) => (one as Readonly<Record<string, unknown>>)[step],
    value,
  );
  const text = JSON.stringify(part);
  return text.length > MAX_SHORT ? `${text.slice(0, MAX_SHORT)}…` : text;
}

function placeOf({ at }: Witness): string {
  return at === '' ? 'as the value' : visible(`at ${at}`);
}

function counts(changes: readonly Change[]): Record<Verdict, number> {
  const count = (wanted: Verdict) => changes.filter(({ verdict }) => verdict === wanted).length;
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
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

/** `breaking: null at /plan` */
function verdictCell(verdict: Verdict | undefined, witness: Witness | undefined): string {
  if (verdict === undefined || witness === undefined) return verdict ?? '';
  return `${verdict}: ${code(shortValue(witness))} ${escape(placeOf(witness))}`;
}

function changesTable(changes: readonly Change[]): string {
  const parties = PARTIES.filter((party) => changes.some(({ verdicts }) => verdicts[party] !== undefined));
  const head = ['Change', ...parties.map((party) => `For a ${party}`), 'Before', 'After'];
  const rows = changes.map((change) => {
    const { id, what, pointer, alsoAt, verdicts, witnesses, before, after } = change;
    const places = [...[pointer, ...alsoAt].map(code), ...morePlaces(change)];
    return [
      [escape(what), code(id), escape(plainName(pointer)), ...places].join('<br>'),
      ...parties.map((party) => verdictCell(verdicts[party], witnesses[party])),
      before === undefined ? 'nothing' : code(before.text),
      after === undefined ? 'nothing' : code(after.text),
    ];
  });
  return table(head, rows);
}
