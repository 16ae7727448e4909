import { constants, createReadStream, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { getSystemErrorMap } from 'node:util';
import { BadInput, type CommandContext, say } from './context.js';

/** What a command sends: a file, a named pipe or standard input. */
export interface Input {
  /** Its name at the start of a sentence. */
  readonly name: string;
  /** Whether it can be read again. */
  readonly isFile: boolean;
  /**
   * Reads it from the start.
   *
   * @throws BadInput if it can't be read; the reason of the signal once it is aborted.
   */
  readonly read: () => AsyncGenerator<Buffer>;
}

/**
 * Finds a file, or standard input for `-`. Nothing is opened yet.
 *
 * @throws BadInput if there is no such file.
 */
export async function findInput(operand: string, context: CommandContext): Promise<Input> {
  const { signal, stdin } = context;
  if (operand !== '-') return findFile('The file', operand, signal);
  const name = 'Standard input';
  const open = (): Readable => {
    if (stdin.isTTY) say('reading from standard input. Press Ctrl-D to end it.', context);
    return stdin;
  };
  return { name, isFile: false, read: () => readChunks(name, open, signal) };
}

/**
 * Reads a whole file, or a named pipe to its end.
 *
 * @param what What the file is, for messages.
 * @throws BadInput if it can't be read, with the reason.
 */
export async function readInputFile(what: string, path: string, signal: AbortSignal): Promise<Buffer> {
  const { read } = await findFile(what, path, signal);
  return buffer(read());
}

async function findFile(what: string, path: string, signal: AbortSignal): Promise<Input> {
  const name = `${what} ${path}`;
  const stats = await stat(path).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  if (stats.isDirectory()) throw new BadInput(`${name} is a directory.`);
  const open = (): Readable => (stats.isFIFO() ? openPipe(path) : createReadStream(path));
  return { name, isFile: stats.isFile(), read: () => readChunks(name, open, signal) };
}

/** Opens a named pipe. Waiting for it occupies no thread, which would keep the process from ending. */
function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

async function* readChunks(name: string, open: () => Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    signal.throwIfAborted();
    for await (const chunk of addAbortSignal(signal, open())) yield Buffer.from(chunk as Uint8Array);
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): BadInput {
  return new BadInput(`${name} can't be read: ${reasonOf(error)}.`);
}

/** Why a file can't be read or written, in words. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
}
