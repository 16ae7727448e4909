import type { DiskRecord } from '../disk-journal.js';
import type { Change, PowerCut } from '../disk.js';
import { keepAll, keepNothing, randomCut, tear } from '../power-cut.js';
import type { Random } from '../random.js';

/** A power cut at a moment of a recording. */
export interface Case {
  /** It happens before the record with this number. */
  readonly before: number;
  readonly name: string;
  readonly cut: PowerCut;
}

/** Of the cases, so many are at flushes if there are as many; the others are at random moments. */
const SYSTEMATIC_SHARE = 0.7;

/** Changes of files whose content counts only after a flush. The others are never flushed. */
const isFlushed = (change: Change): boolean =>
  change.kind !== 'entry' && change.file.name.includes('inbox.sqlite');

const isEntry = ({ kind }: Change): boolean => kind === 'entry';

/** What was not flushed at a flush, in all ways that differ in kind. */
const atFlush: readonly (readonly [name: string, cut: (random: Random) => PowerCut])[] = [
  ['nothing', () => keepNothing],
  ['everything', () => keepAll],
  ['everything but the last', () => (unflushed) => unflushed.slice(0, -1)],
  [
    'only the last',
    () => (unflushed) => unflushed.filter((change, at) => isEntry(change) || at === unflushed.length - 1),
  ],
  ['only what is never flushed', () => (unflushed) => unflushed.filter((change) => !isFlushed(change))],
  [
    'only what is to be flushed',
    () => (unflushed) => unflushed.filter((change) => isEntry(change) || isFlushed(change)),
  ],
  ['writes torn at 512 bytes', (random) => tear(512, random)],
  ['writes torn at 4096 bytes', (random) => tear(4_096, random)],
];

/** Power cuts around each flush of a recording, and at random moments: `count` of them, in the order of their moments. */
export function casesOf(records: readonly DiskRecord[], count: number, random: Random): Case[] {
  const systematic = random
    .shuffle(systematicCases(records, random))
    .slice(0, Math.ceil(count * SYSTEMATIC_SHARE));
  const others = Array.from({ length: count - systematic.length }, (): Case => {
    const before = random.integer(0, records.length);
    return { before, name: 'at random', cut: randomCut(random.fork()) };
  });
  return [...systematic, ...others].sort((one, other) => one.before - other.before);
}

function systematicCases(records: readonly DiskRecord[], random: Random): Case[] {
  const cases: Case[] = [];
  for (const [at, { kind }] of records.entries()) {
    if (kind !== 'flush') continue;
    for (const [name, cut] of atFlush)
      cases.push({ before: at, name: `before a flush, with ${name}`, cut: cut(random.fork()) });
    cases.push({ before: at + 1, name: 'after a flush, with nothing else', cut: keepNothing });
  }
  cases.push({ before: records.length, name: 'at the end, with nothing', cut: keepNothing });
  return cases;
}
