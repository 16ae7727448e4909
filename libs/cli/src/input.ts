import { constants, createReadStream, openSync, type Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BadInput, type CommandContext, say } from './context.js';

/** What reading input needs of the context. */
export type InputContext = Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>;

/**
 * Reads the content to send: a file, or standard input for `-`.
 *
 * @throws BadInput if it can't be read or is empty.
 */
export async function readContent(operand: string, context: InputContext): Promise<Buffer> {
  const name = operand === '-' ? 'Standard input' : `The file ${operand}`;
  const content = await (operand === '-'
    ? orInterrupt(name, context.signal, () => buffer(standardInput(context)))
    : readInputFile('The file', operand, context.signal));
  if (content.byteLength > 0) return content;
  throw new BadInput(`${name} is empty. A delivery must carry information about a plant. Nothing was sent.`);
}

/** Standard input. The user of a terminal is told that the command reads what they type. */
function standardInput({ stdin, stderr }: InputContext): Readable {
  if (stdin.isTTY) say('reading from standard input. Press Ctrl-D to end it.', { stderr });
  return stdin;
}

/**
 * Reads a whole file, or a named pipe to its end.
 *
 * @param what What the file is, for messages.
 * @throws BadInput if it can't be read, with the reason.
 */
export function readInputFile(what: string, path: string, signal: AbortSignal): Promise<Buffer> {
  return orInterrupt(`${what} ${path}`, signal, async () => buffer(openFile(path, await stat(path))));
}

/** Opens a file. Waiting for a named pipe occupies no thread, which would keep the process from ending. */
function openFile(path: string, stats: Stats): Readable {
  if (!stats.isFIFO()) return createReadStream(path);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** Input that is read in parts. */
export interface Input {
  /** Its name at the start of a sentence. */
  readonly name: string;
  /** Size in bytes; `undefined` if it can't be read again, such as a pipe. */
  readonly bytes: number | undefined;
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
 * @throws BadInput if it is missing, a directory, or this user has no permission to read it.
 */
export async function findInput(operand: string, context: InputContext): Promise<Input> {
  const { signal } = context;
  if (operand === '-') {
    const name = 'Standard input';
    return { name, bytes: undefined, read: () => readChunks(name, standardInput(context), signal) };
  }
  const name = `The file ${operand}`;
  const stats = await orInterrupt(name, signal, async () => {
    await access(operand, constants.R_OK);
    return stat(operand);
  });
  if (stats.isDirectory()) throw unreadable(name, { code: 'EISDIR' });
  const bytes = stats.isFile() ? stats.size : undefined;
  return { name, bytes, read: () => readChunks(name, openFile(operand, stats), signal) };
}

async function* readChunks(name: string, stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await orInterrupt(name, signal, () => chunks.next());
      if (next.done === true) return;
      yield Buffer.from(next.value);
    }
  } finally {
    stream.destroy();
  }
}

/** Reads something, and explains its errors. An interrupt ends it, also while it blocks, as a named pipe does. */
async function orInterrupt<T>(name: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  let abort = (): void => {};
  const interrupted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    return await Promise.race([read(), interrupted]);
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(name, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function unreadable(name: string, error: unknown): BadInput {
  return new BadInput(`${name} can't be read: ${reasonOf(error)}.`);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission for it',
  EEXIST: 'it exists already',
  EISDIR: 'it is a directory',
  ENOENT: 'there is no such file or directory',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of its path is not a directory',
  EROFS: 'the file system is read-only',
};

/** Why a file can't be read or written, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}
