import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Random } from './random.js';

/** Bytes that a disk writes whole or not at all. */
const SECTOR = 512;

const HEADER = 64;

/** A change of a file that was not flushed yet. */
type Change =
  | { readonly kind: 'write'; readonly offset: number; bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number };

/** A file as the disk has it, and what the system would still have to write. */
class DiskFile {
  /** What was flushed. */
  content: Buffer = Buffer.alloc(0);
  changes: Change[] = [];

  /** The last change was made only in part, or not at all. */
  shorten(bytes: number): void {
    const last = this.changes.pop();
    if (last?.kind === 'write' && bytes > 0)
      this.changes.push({ ...last, bytes: last.bytes.subarray(0, bytes) });
  }

  flush(): void {
    this.content = applied(this.content, this.changes);
    this.changes = [];
  }
}

/** A change of the folder that was not flushed yet: a file that was created, or removed. */
interface FolderChange {
  readonly name: string;
  readonly file: DiskFile | undefined;
}

/**
 * The disk under one folder, as preload/disk-journal.c reports it: what was flushed, and what a power cut may take away.
 *
 * - What was written to a file and not flushed may be there or not, sector by sector, whatever came after it.
 * - Changes of the folder are kept in their order, as file systems with a journal do: the first few of those that were
 *   not flushed are there.
 */
export class Disk {
  readonly #folder: string;
  #files = new Map<string, DiskFile>();
  #flushedFiles = new Map<string, DiskFile>();
  #folderChanges: FolderChange[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes what a process has reported until it ended, and compares it with the files that it left. */
  replay(journal: Buffer): void {
    let at = 0;
    while (at + HEADER <= journal.length) {
      const kind = String.fromCharCode(journal[at]!);
      const name = journal.toString('latin1', at + 1, journal.indexOf(0, at + 1));
      const offset = Number(journal.readBigInt64LE(at + 48));
      const length = kind === 'w' ? Number(journal.readBigInt64LE(at + 56)) : 0;
      at += HEADER;
      // The process was killed while it reported, so it has written nothing of this.
      if (at + length > journal.length) break;
      this.#take(kind, name, offset, journal.subarray(at, at + length));
      at += length;
    }
    // What isn't flushed must not keep the whole journal in memory.
    for (const { changes } of this.#files.values()) {
      for (const change of changes) if (change.kind === 'write') change.bytes = Buffer.from(change.bytes);
    }
    this.#compareWithFolder();
  }

  /** Changes the folder into one that a power cut could leave now. */
  cut(random: Random): void {
    const kept = random.integer(0, this.#folderChanges.length);
    for (const change of this.#folderChanges.slice(0, kept)) apply(change, this.#flushedFiles);
    const howMuch = random.pick([0, 0.5, 0.9, 1]);
    for (const file of this.#flushedFiles.values()) {
      file.changes = file.changes.flatMap((change) => survivors(change, howMuch, random));
      file.flush();
    }
    this.#files = new Map(this.#flushedFiles);
    this.#folderChanges = [];
    for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name));
    for (const [name, { content }] of this.#files) writeFileSync(join(this.#folder, name), content);
  }

  #take(kind: string, name: string, offset: number, bytes: Buffer): void {
    if (name === '.') return this.#flushFolder();
    if (kind === 'u') return this.#change({ name, file: undefined });
    let file = this.#files.get(name);
    if (file === undefined) {
      file = new DiskFile();
      this.#change({ name, file });
    }
    if (kind === 'w') file.changes.push({ kind: 'write', offset, bytes });
    else if (kind === 's') file.shorten(offset);
    else if (kind === 't') file.changes.push({ kind: 'truncate', size: offset });
    else if (kind === 'f') file.flush();
  }

  #change(change: FolderChange): void {
    apply(change, this.#files);
    this.#folderChanges.push(change);
  }

  #flushFolder(): void {
    this.#flushedFiles = new Map(this.#files);
    this.#folderChanges = [];
  }

  /** With everything that was written, the files must be those in the folder. Otherwise a report is missing. */
  #compareWithFolder(): void {
    for (const [name, { content, changes }] of this.#files) {
      const path = join(this.#folder, name);
      const actual = existsSync(path) ? readFileSync(path) : undefined;
      if (actual !== undefined && applied(content, changes).equals(actual)) continue;
      // The process was killed after the report of its last write, and before the write.
      const last = changes.at(-1);
      if (
        actual !== undefined &&
        last !== undefined &&
        applied(content, changes.slice(0, -1)).equals(actual)
      ) {
        changes.pop();
        continue;
      }
      throw new Error(`The journal of the disk doesn't agree with ${path}: a power cut can't be simulated.`);
    }
  }
}

function apply({ name, file }: FolderChange, files: Map<string, DiskFile>): void {
  if (file === undefined) files.delete(name);
  else files.set(name, file);
}

/** A content after these changes. */
function applied(content: Buffer, changes: readonly Change[]): Buffer {
  let size = content.length;
  let capacity = size;
  for (const change of changes) {
    if (change.kind === 'write') capacity = Math.max(capacity, change.offset + change.bytes.length);
  }
  const result = Buffer.alloc(capacity);
  content.copy(result);
  for (const change of changes) {
    if (change.kind === 'write') {
      change.bytes.copy(result, change.offset);
      size = Math.max(size, change.offset + change.bytes.length);
    } else {
      if (change.size < size) result.fill(0, change.size, size);
      size = change.size;
    }
  }
  return size <= capacity ? result.subarray(0, size) : Buffer.concat([result, Buffer.alloc(size - capacity)]);
}

/** What a power cut leaves of a change: the whole, nothing, or some of its sectors. */
function survivors(change: Change, howMuch: number, random: Random): Change[] {
  if (change.kind === 'truncate' || howMuch === 0 || howMuch === 1 || random.chance(0.7))
    return random.chance(howMuch) ? [change] : [];
  const { offset, bytes } = change;
  const left: Change[] = [];
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + SECTOR - ((offset + from) % SECTOR));
    if (random.chance(howMuch))
      left.push({ kind: 'write', offset: offset + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return left;
}
