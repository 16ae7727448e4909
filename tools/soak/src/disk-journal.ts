import { execFileSync } from 'node:child_process';
import { platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../preload/disk-journal.c', import.meta.url));

/** Bytes before the bytes of a write: see preload/disk-journal.c. */
const HEADER = 64;
const NAME_AT = 1;
const NUMBERS_AT = 48;

/** What a process has done to a file or folder, as preload/disk-journal.c reports it. */
export interface DiskRecord {
  readonly kind: 'open' | 'make folder' | 'write' | 'short' | 'truncate' | 'flush' | 'unlink' | 'note';
  /** Path in the folder that is watched; `.` for that folder. */
  readonly name: string;
  /** Of a write; or the size after a truncation, or how much of the last write was written. */
  readonly offset: number;
  /** Of a write, or the text of a note. */
  readonly bytes: Buffer;
}

const KINDS: Readonly<Record<string, DiskRecord['kind']>> = {
  o: 'open',
  d: 'make folder',
  w: 'write',
  s: 'short',
  t: 'truncate',
  f: 'flush',
  u: 'unlink',
  n: 'note',
};

/** The whole records of a journal. If the process was killed while it reported, it has done nothing of the last. */
export function* diskRecords(journal: Buffer): Generator<DiskRecord> {
  for (let at = 0; at + HEADER <= journal.length;) {
    const letter = String.fromCharCode(journal[at]!);
    const kind = KINDS[letter]!;
    const name = journal.toString('latin1', at + NAME_AT, journal.indexOf(0, at + NAME_AT));
    const offset = Number(journal.readBigInt64LE(at + NUMBERS_AT));
    const hasBytes = kind === 'write' || kind === 'note';
    const length = hasBytes ? Number(journal.readBigInt64LE(at + NUMBERS_AT + 8)) : 0;
    at += HEADER;
    if (at + length > journal.length) return;
    yield { kind, name, offset, bytes: journal.subarray(at, at + length) };
    at += length;
  }
}

/** A record that a process puts between those of its writes. */
export function noteRecord(text: string): Buffer {
  const bytes = Buffer.from(text);
  const header = Buffer.alloc(HEADER);
  header.write('n', 'latin1');
  header.writeBigInt64LE(BigInt(bytes.length), NUMBERS_AT + 8);
  return Buffer.concat([header, bytes]);
}

/**
 * Compiles the library that reports what a process writes.
 *
 * @param folder where it is put
 * @returns undefined if there is no C compiler, or no LD_PRELOAD
 */
export function compileDiskJournal(folder: string): string | undefined {
  if (platform() !== 'linux') return undefined;
  const library = join(folder, 'disk-journal.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'], { stdio: 'pipe' });
    return library;
  } catch {
    return undefined;
  }
}
