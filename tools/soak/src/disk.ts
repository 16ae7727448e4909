import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { type DiskRecord, diskRecords } from './disk-journal.js';

/** A change that was not flushed yet. */
export type Change = { readonly at: number } & (FileChange | EntryChange);

/** A change of a file's content. */
export type FileChange =
  | { readonly kind: 'write'; readonly file: DiskFile; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: DiskFile; readonly size: number };

/** A file or folder that was created, or removed: then `entry` is undefined. */
interface EntryChange {
  readonly kind: 'entry';
  readonly name: string;
  readonly entry: DiskFile | 'folder' | undefined;
}

/** Chooses which changes a power cut leaves, of those that were not flushed, in the order in which they were made. */
export type PowerCut = (unflushed: readonly Change[]) => readonly Change[];

/** What a folder has: the content of each file by its path, and undefined for a folder. */
export type DiskState = ReadonlyMap<string, Buffer | undefined>;

type Entries = Map<string, DiskFile | 'folder'>;
type FileChangeAt = Extract<Change, FileChange>;

/** A file as the disk has it, and what the system would still have to write. */
class DiskFile {
  readonly name: string;
  readonly content = new Content();
  changes: FileChangeAt[] = [];

  constructor(name: string, content: Buffer = Buffer.alloc(0)) {
    this.name = name;
    this.content.write(0, content);
  }

  flush(): void {
    for (const change of this.changes) this.content.apply(change);
    this.changes = [];
  }

  /** With these of its changes. What is returned is valid until the next flush. */
  after(changes: readonly FileChange[]): Buffer {
    if (changes.length === 0) return this.content.bytes;
    const content = new Content();
    content.write(0, this.content.bytes);
    for (const change of changes) content.apply(change);
    return content.bytes;
  }
}

/** Bytes that grow in place. */
class Content {
  #space = Buffer.alloc(0);
  #size = 0;

  get bytes(): Buffer {
    return this.#space.subarray(0, this.#size);
  }

  apply(change: FileChange): void {
    if (change.kind === 'write') this.write(change.offset, change.bytes);
    else this.#resize(change.size);
  }

  write(offset: number, bytes: Buffer): void {
    this.#resize(Math.max(this.#size, offset + bytes.length));
    bytes.copy(this.#space, offset);
  }

  #resize(size: number): void {
    if (size > this.#space.length) {
      const space = Buffer.alloc(Math.max(size, 2 * this.#space.length));
      this.bytes.copy(space);
      this.#space = space;
    } else if (size < this.#size) this.#space.fill(0, size, this.#size);
    this.#size = size;
  }
}

/**
 * The disk under one folder, as preload/disk-journal.c reports it: what was flushed, and what a power cut may take away.
 * The content of a file is flushed with the file, and that the file is there with the folder that it is in.
 */
export class Disk {
  readonly #folder: string;
  #entries: Entries = new Map();
  #flushedEntries: Entries = new Map();
  #entryChanges: (EntryChange & { readonly at: number })[] = [];
  /** How many changes there were. */
  #count = 0;

  /** @param folder that a process has; empty, or as the last power cut left it */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Everything that was not flushed, in the order in which it was done. */
  get unflushed(): Change[] {
    const changes: Change[] = [...this.#entryChanges];
    const created = this.#entryChanges.map(({ entry }) => entry);
    for (const file of new Set([...this.#flushedEntries.values(), ...this.#entries.values(), ...created]))
      if (file instanceof DiskFile) changes.push(...file.changes);
    return changes.sort((one, other) => one.at - other.at);
  }

  /** Takes what a process has reported until it ended, and compares it with the files that it left. */
  replay(journal: Buffer): void {
    // What isn't flushed must not keep the whole journal in memory.
    for (const record of diskRecords(journal)) this.take({ ...record, bytes: Buffer.from(record.bytes) });
    this.compareWithFolder();
  }

  /** Takes what a process has done next. */
  take({ kind, name, offset, bytes }: DiskRecord): void {
    this.#count += 1;
    const at = this.#count;
    if (kind === 'note') return;
    if (kind === 'make folder') return this.#change(name, 'folder');
    if (kind === 'unlink') return this.#change(name, undefined);
    if (name === '.' || this.#entries.get(name) === 'folder') return this.#flushFolder(name);
    const file = this.#fileOf(name);
    if (kind === 'write') file.changes.push({ at, kind, file, offset, bytes });
    else if (kind === 'truncate') file.changes.push({ at, kind, file, size: offset });
    else if (kind === 'short') shorten(file, offset);
    else if (kind === 'flush') file.flush();
  }

  /** What a power cut leaves now. It is valid until the next record is taken. */
  stateAfter(cut: PowerCut): DiskState {
    const kept = cut(this.unflushed);
    const entries = new Map(this.#flushedEntries);
    const changes = new Map<DiskFile, FileChange[]>();
    for (const change of kept) {
      if (change.kind === 'entry') apply(change, entries);
      else changes.set(change.file, [...(changes.get(change.file) ?? []), change]);
    }
    const state = new Map<string, Buffer | undefined>();
    for (const name of Array.from(entries.keys()).sort()) {
      // Without its folder, nothing leads to a file.
      if (dirname(name) !== '.' && !state.has(dirname(name))) continue;
      const entry = entries.get(name)!;
      state.set(name, entry === 'folder' ? undefined : entry.after(changes.get(entry) ?? []));
    }
    return state;
  }

  /** Cuts the power: from now on the disk has this, and so has the folder. */
  become(state: DiskState): void {
    this.#entries = new Map();
    for (const [name, content] of state)
      this.#entries.set(name, content === undefined ? 'folder' : new DiskFile(name, content));
    this.#flushedEntries = new Map(this.#entries);
    this.#entryChanges = [];
    writeState(this.#folder, state);
  }

  /** With everything that was written, the files must be those in the folder. Otherwise a report is missing. */
  compareWithFolder(): void {
    const unknown = [...readState(this.#folder).keys()].find(
      (name) => !this.#entries.has(name) && !name.endsWith('-shm'),
    );
    if (unknown !== undefined) throw this.#disagreement(unknown);
    for (const [name, file] of this.#entries) {
      if (file === 'folder') continue;
      const path = join(this.#folder, name);
      const actual = existsSync(path) ? readFileSync(path) : undefined;
      if (actual !== undefined && file.after(file.changes).equals(actual)) continue;
      // The process was killed after the report of its last write, and before the write, or in the middle of it.
      const written = actual && writtenOfLast(file, actual);
      if (written !== undefined) {
        shorten(file, written);
        continue;
      }
      throw this.#disagreement(name);
    }
  }

  #disagreement(name: string): Error {
    const path = join(this.#folder, name);
    return new Error(`The journal of the disk doesn't agree with ${path}: a power cut can't be simulated.`);
  }

  #fileOf(name: string): DiskFile {
    const found = this.#entries.get(name);
    if (found !== undefined && found !== 'folder') return found;
    const file = new DiskFile(name);
    this.#change(name, file);
    return file;
  }

  #change(name: string, entry: DiskFile | 'folder' | undefined): void {
    const change = { at: this.#count, kind: 'entry', name, entry } as const;
    apply(change, this.#entries);
    this.#entryChanges.push(change);
  }

  #flushFolder(folder: string): void {
    for (const change of this.#entryChanges)
      if (dirname(change.name) === folder) apply(change, this.#flushedEntries);
    this.#entryChanges = this.#entryChanges.filter(({ name }) => dirname(name) !== folder);
  }
}

/** Makes a folder have this and nothing else. */
export function writeState(folder: string, state: DiskState): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  for (const [name, content] of state) {
    if (content === undefined) mkdirSync(join(folder, name));
    else writeFileSync(join(folder, name), content);
  }
}

/** The files and folders that a folder has now. */
export function readState(folder: string): DiskState {
  const state = new Map<string, Buffer | undefined>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const found = statSync(path);
    if (found.isDirectory()) state.set(name, undefined);
    else if (found.isFile()) state.set(name, readFileSync(path));
  }
  return state;
}

/** How many bytes of its last change a file has; undefined if the file has anything else. */
function writtenOfLast(file: DiskFile, actual: Buffer): number | undefined {
  const last = file.changes.at(-1);
  const before = file.after(file.changes.slice(0, -1));
  if (before.equals(actual)) return 0;
  if (last?.kind !== 'write') return undefined;
  const { offset, bytes } = last;
  let written = 0;
  while (written < bytes.length && actual[offset + written] === bytes[written]) written += 1;
  const content = new Content();
  content.write(0, before);
  content.write(offset, bytes.subarray(0, written));
  return content.bytes.equals(actual) ? written : undefined;
}

/** The last change was made only in part, or not at all. */
function shorten(file: DiskFile, bytes: number): void {
  const last = file.changes.pop();
  if (last?.kind === 'write' && bytes > 0)
    file.changes.push({ ...last, bytes: last.bytes.subarray(0, bytes) });
}

function apply({ name, entry }: EntryChange, entries: Entries): void {
  if (entry === undefined) entries.delete(name);
  else entries.set(name, entry);
}
