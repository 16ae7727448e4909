import type { DiskState } from '../disk.js';
import type { Random } from '../random.js';

/** The files that are damaged, those with deliveries more often. */
const FILES = [
  'inbox.sqlite',
  'inbox.sqlite',
  'inbox.sqlite',
  'inbox.sqlite-wal',
  'inbox.sqlite-wal',
  'last-accepted',
  'under-way',
];

const SECTOR = 512;
const PAGE = 8_192;

/** What happens to a file. */
const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer | undefined>> = {
  'is missing': () => undefined,
  'is empty': () => Buffer.alloc(0),
  'is cut': (bytes, random) => bytes.subarray(0, random.integer(0, bytes.length)),
  'is cut at a page': (bytes, random) =>
    bytes.subarray(0, PAGE * random.integer(0, Math.floor(bytes.length / PAGE))),
  'has a bit that is flipped': (bytes, random) => withFlips(bytes, 1, random),
  'has ten bits that are flipped': (bytes, random) => withFlips(bytes, 10, random),
  'has a bit that is flipped at the beginning of a page': (bytes, random) => {
    const page = random.integer(0, Math.floor((bytes.length - 1) / PAGE));
    return withFlip(bytes, page * PAGE + random.integer(0, 15), random);
  },
  'has a sector of zeros': (bytes, random) => withBytes(bytes, SECTOR, random, () => 0),
  'has a sector of noise': (bytes, random) => withBytes(bytes, SECTOR, random, () => random.integer(0, 255)),
  'has a page of zeros': (bytes, random) => withBytes(bytes, PAGE, random, () => 0),
  'has a page of noise': (bytes, random) => withBytes(bytes, PAGE, random, () => random.integer(0, 255)),
  'has two pages in each other’s place': (bytes, random) => {
    const pages = Math.floor(bytes.length / PAGE);
    if (pages < 2) return bytes;
    const [one, other] = [random.integer(0, pages - 1) * PAGE, random.integer(0, pages - 1) * PAGE];
    const damaged = Buffer.from(bytes);
    bytes.copy(damaged, one, other, other + PAGE);
    bytes.copy(damaged, other, one, one + PAGE);
    return damaged;
  },
};

/** Damages one file of an inbox. Returns what was done, for people, and what the folder has then. */
export function damage(
  state: DiskState,
  random: Random,
): { readonly name: string; readonly state: DiskState } {
  const files = FILES.filter((file) => (state.get(file)?.length ?? 0) > 0);
  const file = random.pick(files);
  const how = random.pick(Object.keys(DAMAGES));
  const bytes = DAMAGES[how]!(state.get(file)!, random);
  const damaged = new Map(state);
  if (bytes === undefined) damaged.delete(file);
  else damaged.set(file, bytes);
  return { name: `${file} ${how}`, state: damaged };
}

function withFlips(bytes: Buffer, count: number, random: Random): Buffer {
  let damaged = bytes;
  for (let left = count; left > 0; left -= 1)
    damaged = withFlip(damaged, random.integer(0, bytes.length - 1), random);
  return damaged;
}

function withFlip(bytes: Buffer, at: number, random: Random): Buffer {
  const damaged = Buffer.from(bytes);
  if (at < damaged.length) damaged[at]! ^= 1 << random.integer(0, 7);
  return damaged;
}

function withBytes(bytes: Buffer, size: number, random: Random, byte: () => number): Buffer {
  const damaged = Buffer.from(bytes);
  const start = size * random.integer(0, Math.floor((bytes.length - 1) / size));
  for (let at = start; at < Math.min(start + size, damaged.length); at += 1) damaged[at] = byte();
  return damaged;
}
