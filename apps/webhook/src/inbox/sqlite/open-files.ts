import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { type Header, readHeader } from './identity.js';
import { INBOX_FILES } from './inbox-files.js';
import { MOVED } from './sqlite-errors.js';

/** Where SQLite locks the files of a database that is open, see its os.h and wal.c. */
const SHARED_BYTE = 0x4000_0002;
const OPEN_BYTE = 128;

/** Where the index of the log says how large a page is, how many the log has, and its salts (https://sqlite.org/walformat.html). */
const INDEX_BYTES = 48;
const PAGE_SIZE = 14;
const LOG_PAGES = 16;
const INDEX_SALTS = 32;

/** How long the head of a log is, and that of each page in it; where the first has the salts, and how many bytes they are. */
const LOG_HEAD = 32;
const PAGE_HEAD = 24;
const LOG_SALTS = 16;
const SALT_BYTES = 8;

/**
 * The files of an inbox that a receiver has open. Others can take them away: whoever removes or replaces them, and
 * whoever opens and closes them in this process, which takes away the locks of SQLite (POSIX has it so). Without these
 * locks, the next `sqlite3` takes itself for the only one, and deletes the log under the receiver.
 */
export class OpenFiles {
  readonly #database: string;
  readonly #inode: number | undefined;
  /** Of the others. */
  readonly #inodes: readonly (readonly [file: string, inode: number | undefined])[];
  readonly #locks: readonly Lock[];
  /** Descriptors. The end of the thread closes them: see {@link OpenFiles}. */
  readonly #log: number;
  readonly #index: number;
  #size = 0;
  #schema: number;

  /**
   * @param descriptor of the database
   * @param identity what the database's header says: one of the ids, and this or a later schema
   */
  constructor(
    folder: string,
    private readonly database: DatabaseSyncInstance,
    private readonly descriptor: number,
    private readonly identity: { readonly ids: readonly number[]; readonly schema: number },
  ) {
    this.#database = join(folder, INBOX_FILES.database);
    this.#schema = identity.schema;
    const log = `${this.#database}-wal`;
    const index = `${this.#database}-shm`;
    const lock = join(folder, INBOX_FILES.lock);
    this.#inode = inodeOf(this.#database);
    this.#inodes = [log, index, lock].map((file) => [file, inodeOf(file)]);
    this.#locks = [findLock(this.#database, SHARED_BYTE), findLock(index, OPEN_BYTE)].filter(
      (found) => found !== undefined,
    );
    this.#log = openSync(log, 'r');
    this.#index = openSync(index, 'r');
  }

  /**
   * Looks at the files. What was committed before may be acknowledged if nothing is lost.
   *
   * @returns what was lost, as SQLite would report it
   */
  loss(): Error | undefined {
    const reason = this.#replacement() ?? this.#unlocking() ?? this.#removal() ?? this.#overwriting();
    return reason === undefined ? undefined : Object.assign(new Error(reason), { errcode: MOVED });
  }

  /** The database is another file, or was overwritten. */
  #replacement(): string | undefined {
    const file = statSync(this.#database, { throwIfNoEntry: false });
    const header = file?.ino === this.#inode ? readHeader(this.descriptor) : undefined;
    if (file === undefined || header === undefined || !this.#isOwn(header) || file.size < this.#size)
      return `${this.#database} was removed or replaced. If you restore a copy, stop the receiver, put the copy there again, and delete ${this.#database}-wal and ${this.#database}-shm`;
    this.#size = file.size;
    this.#schema = header.schema;
    return undefined;
  }

  #isOwn({ id, schema, isWal }: Header): boolean {
    return isWal && this.identity.ids.includes(id) && schema >= this.#schema;
  }

  #unlocking(): string | undefined {
    const lost = this.#locks.find((lock) => !isHeld(lock));
    return lost === undefined
      ? undefined
      : `something in this process has opened and closed ${lost.file}, which took away the locks of SQLite`;
  }

  #removal(): string | undefined {
    const removed = this.#inodes.find(([file, inode]) => inodeOf(file) !== inode)?.[0];
    if (removed === undefined) return undefined;
    // Of a log that is gone, SQLite has still what it held. Unless others have begun a new one, it belongs to the database.
    const log = `${this.#database}-wal`;
    if (removed === log && !existsSync(log)) this.database.exec('PRAGMA wal_checkpoint');
    return `${removed} was removed or replaced`;
  }

  /** The log lacks pages that its index has. Whoever moves them into the database changes the index first. */
  #overwriting(): string | undefined {
    const index = beginningOf(this.#index, INDEX_BYTES);
    if (this.#hasLogOf(index) || !index.equals(beginningOf(this.#index, INDEX_BYTES))) return undefined;
    return `${this.#database}-wal was cut or overwritten`;
  }

  #hasLogOf(index: Buffer): boolean {
    const pages = numberIn(index, LOG_PAGES);
    if (pages === 0) return true;
    // 65,536 is written as 1.
    const pageSize = numberIn(index, PAGE_SIZE, 2);
    const size = LOG_HEAD + pages * (PAGE_HEAD + (pageSize === 1 ? 65_536 : pageSize));
    const salts = beginningOf(this.#log, LOG_SALTS + SALT_BYTES).subarray(LOG_SALTS);
    return (
      fstatSync(this.#log).size >= size && salts.equals(index.subarray(INDEX_SALTS, INDEX_SALTS + SALT_BYTES))
    );
  }
}

/** A number in the order of bytes of this machine, as the index has them. */
function numberIn(bytes: Buffer, offset: number, length = 4): number {
  return endianness() === 'LE' ? bytes.readUIntLE(offset, length) : bytes.readUIntBE(offset, length);
}

/** The first bytes of a file; what it doesn't have is zero. */
function beginningOf(descriptor: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, 0);
  return bytes;
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** A lock of this process on one byte of a file. */
interface Lock {
  readonly file: string;
  readonly byte: number;
  /** Of what Linux tells about the descriptor through which the lock was taken. */
  readonly descriptor: number;
}

/** @returns undefined if this system doesn't tell of locks */
function findLock(file: string, byte: number): Lock | undefined {
  const path = realpathSync(file);
  for (const name of existsSync('/proc/self/fdinfo') ? readdirSync('/proc/self/fd') : []) {
    if (targetOf(`/proc/self/fd/${name}`) !== path) continue;
    const lock = { file, byte, descriptor: openSync(`/proc/self/fdinfo/${name}`, 'r') };
    if (isHeld(lock)) return lock;
    closeSync(lock.descriptor);
  }
  return undefined;
}

/** @returns undefined if it is closed meanwhile, as the one that lists the folder is */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

const INFO = Buffer.alloc(4_096);

/** A line is `lock: 1: POSIX ADVISORY READ <process> <device and inode> <first byte> <last byte>`. */
function isHeld({ byte, descriptor }: Lock): boolean {
  const lines = INFO.toString('latin1', 0, readSync(descriptor, INFO, 0, INFO.length, 0)).split('\n');
  return lines.some((line) => {
    if (!line.startsWith('lock:')) return false;
    const [first, last] = line.split(' ').slice(-2).map(Number);
    return first! <= byte && byte <= last!;
  });
}
