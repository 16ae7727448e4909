import type { Change, PowerCut } from './disk.js';
import type { Random } from './random.js';

/** Bytes that a disk may write whole or not at all. */
const SECTORS = [512, 4_096] as const;

/** Nothing of what wasn't flushed is there. */
export const keepNothing: PowerCut = () => [];

/** Everything is there. */
export const keepAll: PowerCut = (unflushed) => unflushed;

/**
 * What a power cut may leave, drawn at random: of what was written to a file and not flushed any part, sector by
 * sector, whatever came after it; or only the size that the file has got from it. Files are created and removed in their
 * order, as file systems with a journal do: the first few of these changes are there.
 */
export function randomCut(random: Random): PowerCut {
  return (unflushed) => {
    const sector = random.pick(SECTORS);
    const howMuch = random.pick([0, 0.1, 0.5, 0.9, 1]);
    const entries = unflushed.filter(({ kind }) => kind === 'entry');
    const kept = new Set(entries.slice(0, random.integer(0, entries.length)));
    return unflushed.flatMap((change) => {
      if (change.kind === 'entry') return kept.has(change) ? [change] : [];
      return survivors(change, howMuch, sector, random);
    });
  };
}

/** Everything is there, but each write that is longer than a sector is torn. */
export function tear(sector: number, random: Random): PowerCut {
  return (unflushed) =>
    unflushed.flatMap((change): readonly Change[] =>
      change.kind === 'write' ? torn(change, 0.5, sector, random) : [change],
    );
}

/** What a power cut leaves of a change: the whole, nothing, some of its sectors, or zeros. */
function survivors(change: Change, howMuch: number, sector: number, random: Random): readonly Change[] {
  if (change.kind !== 'write' || howMuch === 0 || howMuch === 1 || random.chance(0.5))
    return random.chance(howMuch) ? [change] : [];
  if (random.chance(0.1)) return [onlySize(change)];
  return torn(change, howMuch, sector, random);
}

type Write = Extract<Change, { readonly kind: 'write' }>;

function torn(write: Write, howMuch: number, sector: number, random: Random): Write[] {
  const { offset, bytes } = write;
  const left: Write[] = [];
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + sector - ((offset + from) % sector));
    if (random.chance(howMuch))
      left.push({ ...write, offset: offset + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return left;
}

/** The file has become longer, and the bytes aren't there: the size was written first. */
function onlySize(write: Write): Change {
  const { file, offset, bytes } = write;
  const zeros = Buffer.alloc(bytes.length);
  const now = file.content.bytes;
  if (offset < now.length) now.copy(zeros, 0, offset, Math.min(now.length, offset + bytes.length));
  return { ...write, bytes: zeros };
}
