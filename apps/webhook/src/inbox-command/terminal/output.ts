import { type FileHandle, open } from 'node:fs/promises';

import { printable } from './printable.js';

/** What a command writes data to. */
export interface Output {
  /**
   * Resolves when everything is written.
   *
   * @throws OutputError
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Makes a file durable, and closes it. */
  close(): Promise<void>;
}

/** An output that can't be written any more. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  /** Whether nobody reads it any more, as with `| head`. */
  readonly isClosed: boolean;

  /** @param isBegun whether a file was created, and is partial now */
  constructor(name: string, cause: unknown, isBegun = false) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const state = isBegun ? `. ${name} is partial` : '';
    super(`${name} can't be written: ${REASONS[code] ?? message}${state}`, { cause });
    this.isClosed = code === 'EPIPE';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission to write it',
  EDQUOT: 'the quota of this user is used up',
  EEXIST: 'it exists already. Name a new file',
  EFBIG: 'it is as large as a file may be here',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of its path is not a folder',
};

for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Standard output. */
export const standardOutput: Output = {
  write: (data) =>
    new Promise((resolve, reject) => {
      process.stdout.write(data, (cause) =>
        cause ? reject(new OutputError('standard output', cause)) : resolve(),
      );
    }),
  close: () => Promise.resolve(),
};

/**
 * Creates a file.
 *
 * @throws OutputError also if it exists
 */
export async function createFile(name: string): Promise<Output> {
  const attempt = async <Result>(work: Promise<Result>, isBegun: boolean): Promise<Result> => {
    try {
      return await work;
    } catch (cause) {
      throw new OutputError(name, cause, isBegun);
    }
  };
  const file: FileHandle = await attempt(open(name, 'wx'), false);
  return {
    write: (data) => attempt(file.writeFile(data), true),
    async close() {
      try {
        await attempt(file.sync(), true);
      } finally {
        await file.close();
      }
    },
  };
}

/** Writes a line for people to standard error. */
export function report(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/** Columns of the terminal that standard output is; undefined if it is none. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}
