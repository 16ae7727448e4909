import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** First bytes of a database's file. */
const MAGIC = 'SQLite format 3\0';

/** The page size of an inbox whose file doesn't say it any more, in bytes. */
const USUAL_PAGE_SIZE = 8_192;

/** Sizes in a write-ahead log, in bytes. */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/** Names a version of a page. */
export interface PageVersion {
  /** From 1. */
  readonly number: number;
  /** Whether it was written by a transaction that was committed, or whose commit can be read. */
  readonly isCommitted: boolean;
}

/** A page of a database. */
export interface Page extends PageVersion {
  readonly bytes: Buffer;
}

/**
 * The pages of a database's file as its write-ahead log changes them, read without SQLite: nothing is written, and what
 * is damaged is left out. See https://www.sqlite.org/fileformat2.html for the format.
 */
export class SqlitePages {
  readonly pageSize: number;
  /** Bytes of a page that SQLite uses. */
  readonly usableSize: number;
  readonly count: number;
  readonly #main: OpenFile;
  readonly #log: OpenFile;
  readonly #frames: Frames;

  /** @param file of the database; it and its `-wal` may be missing */
  constructor(file: string) {
    this.#main = new OpenFile(file);
    this.#log = new OpenFile(`${file}-wal`);
    const header = this.#main.read(0, 100);
    const isWhole = header?.toString('latin1', 0, MAGIC.length) === MAGIC;
    const logHeader = this.#log.read(0, LOG_HEADER);
    this.pageSize =
      (isWhole ? pageSizeOf(header.readUInt16BE(16)) : undefined) ??
      pageSizeOf(logHeader?.readUInt32BE(8) ?? 0) ??
      USUAL_PAGE_SIZE;
    this.usableSize = this.pageSize - (isWhole ? header.readUInt8(20) : 0);
    this.#frames = findFrames(this.#log, logHeader, this.pageSize);
    const inLog = [...this.#frames.committed.keys(), ...this.#frames.uncommitted.keys()];
    const inMain = Math.floor(this.#main.size / this.pageSize);
    this.count = inLog.reduce((most, number) => Math.max(most, number), inMain);
  }

  /** A page; undefined if there is none. Of a page that is damaged in the log, it is the version before. */
  read({ number, isCommitted }: PageVersion): Buffer | undefined {
    const frame = (isCommitted ? this.#frames.committed : this.#frames.uncommitted).get(number);
    if (frame !== undefined) return this.#log.read(frame, this.pageSize);
    if (!isCommitted || number < 1) return undefined;
    return this.#main.read((number - 1) * this.pageSize, this.pageSize);
  }

  /** A page that others continue on: it must have been written with them. */
  readNext(version: PageVersion): Buffer | undefined {
    return this.#frames.damaged.has(version.number) ? undefined : this.read(version);
  }

  /**
   * Every page but those that are free: what they still have was deleted. Then what the log has of a transaction whose
   * commit is missing: if the log was cut, it was acknowledged.
   */
  *inUse(): Generator<Page> {
    const free = this.#freePages();
    for (let number = 1; number <= this.count; number += 1) {
      if (!free.has(number)) yield* this.#page({ number, isCommitted: true });
    }
    for (const number of this.#frames.uncommitted.keys()) yield* this.#page({ number, isCommitted: false });
  }

  *#page(version: PageVersion): Generator<Page> {
    const bytes = this.read(version);
    if (bytes !== undefined) yield { ...version, bytes };
  }

  close(): void {
    this.#main.close();
    this.#log.close();
  }

  /** A list of pages that have lists of free pages. Where it is damaged it ends. */
  #freePages(): Set<number> {
    const free = new Set<number>();
    const first = this.read({ number: 1, isCommitted: true });
    if (first?.toString('latin1', 0, MAGIC.length) !== MAGIC) return free;
    let trunk = first.readUInt32BE(32);
    while (trunk > 0 && trunk <= this.count && !free.has(trunk)) {
      free.add(trunk);
      const bytes = this.read({ number: trunk, isCommitted: true });
      if (bytes === undefined) break;
      const leaves = Math.min(bytes.readUInt32BE(4), this.usableSize / 4 - 2);
      for (let leaf = 0; leaf < leaves; leaf += 1) free.add(bytes.readUInt32BE(8 + 4 * leaf));
      trunk = bytes.readUInt32BE(0);
    }
    return free;
  }
}

/** A file that is open for reading, or missing: then it is empty. */
class OpenFile {
  readonly size: number;
  readonly #descriptor: number | undefined;

  constructor(path: string) {
    try {
      this.#descriptor = openSync(path, 'r');
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error;
    }
    this.size = this.#descriptor === undefined ? 0 : fstatSync(this.#descriptor).size;
  }

  /** Bytes of the file; undefined if it ends before, or if the disk can't read them. */
  read(offset: number, length: number): Buffer | undefined {
    if (this.#descriptor === undefined || offset + length > this.size) return undefined;
    const bytes = Buffer.alloc(length);
    try {
      return readSync(this.#descriptor, bytes, 0, length, offset) === length ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

/** The page size that a header gives, if it is one: a power of two; 1 stands for 65536. */
function pageSizeOf(given: number): number | undefined {
  const size = given === 1 ? 65_536 : given;
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0 ? size : undefined;
}

/** What a write-ahead log has: for each page, where its newest version begins. */
interface Frames {
  readonly committed: Map<number, number>;
  /** Of a transaction at the end. */
  readonly uncommitted: Map<number, number>;
  readonly damaged: Set<number>;
}

/** A frame counts if it belongs to this log and its checksum is right; one that is damaged is skipped. */
function findFrames(log: OpenFile, header: Buffer | undefined, pageSize: number): Frames {
  const frames: Frames = { committed: new Map(), uncommitted: new Map(), damaged: new Set() };
  if (header === undefined) return frames;
  const littleEndian = (header.readUInt32BE(0) & 1) === 0;
  const frameSize = FRAME_HEADER + pageSize;
  let before = header.subarray(24, 32);
  for (let offset = LOG_HEADER; offset + frameSize <= log.size; offset += frameSize) {
    const frame = log.read(offset, frameSize);
    if (frame === undefined || frame.compare(header, 16, 24, 8, 16) !== 0) continue;
    const page = frame.readUInt32BE(0);
    const parts = [frame.subarray(0, 8), frame.subarray(FRAME_HEADER)];
    const isWhole = checksum(before, parts, littleEndian).equals(frame.subarray(16, 24));
    before = frame.subarray(16, 24);
    if (isWhole) frames.uncommitted.set(page, offset + FRAME_HEADER);
    else frames.damaged.add(page);
    if (isWhole && frame.readUInt32BE(4) !== 0) commit(frames);
  }
  return frames;
}

function commit({ committed, uncommitted, damaged }: Frames): void {
  for (const [page, frame] of uncommitted) {
    committed.set(page, frame);
    damaged.delete(page);
  }
  uncommitted.clear();
}

/** The checksum of a frame, which continues that of the frame before it. */
function checksum(before: Buffer, parts: readonly Buffer[], littleEndian: boolean): Buffer {
  let one = before.readUInt32BE(0);
  let two = before.readUInt32BE(4);
  for (const part of parts) {
    const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
    for (let offset = 0; offset < part.length; offset += 8) {
      one = (one + view.getUint32(offset, littleEndian) + two) >>> 0;
      two = (two + view.getUint32(offset + 4, littleEndian) + one) >>> 0;
    }
  }
  const result = Buffer.alloc(8);
  result.writeUInt32BE(one, 0);
  result.writeUInt32BE(two, 4);
  return result;
}
