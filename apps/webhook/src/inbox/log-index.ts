import { closeSync, openSync, readSync } from 'node:fs';

/** Of the index's header, in its own byte order: size of a page, and number of frames (SQLite, "WAL-mode File Format"). */
const PAGE_SIZE_AT = 14;
const FRAMES_AT = 16;
const HEADER_SIZE = 20;

/** Bytes of the log before its first frame, and of a frame before its page. */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * The index of a write-ahead log: the file `-shm`, in which SQLite counts what the log has.
 *
 * Close it after the database. Whoever closes a file gives up the locks that the process has on it (POSIX), which SQLite
 * needs.
 */
export class LogIndex {
  readonly #descriptor: number;
  readonly #header = new ArrayBuffer(HEADER_SIZE);

  /** @param file of a database that is open, and that was read */
  constructor(file: string) {
    this.#descriptor = openSync(`${file}-shm`, 'r');
  }

  /** The size that the log has at least, in bytes. About 2 µs. */
  leastSize(): number {
    if (readSync(this.#descriptor, new Uint8Array(this.#header), 0, HEADER_SIZE, 0) < HEADER_SIZE) return 0;
    const frames = new Uint32Array(this.#header)[FRAMES_AT / 4]!;
    const pageSize = new Uint16Array(this.#header)[PAGE_SIZE_AT / 2]!;
    // 1 stands for the largest size.
    return frames === 0 ? 0 : LOG_HEADER + frames * (FRAME_HEADER + (pageSize === 1 ? 65_536 : pageSize));
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
