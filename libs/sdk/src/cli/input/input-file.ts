import { constants, createReadStream, openSync } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { BadInput } from '../command-line/bad-input.js';
import type { CommandContext } from '../command-line/command.js';

/**
 * Reads the content to send: a file, or standard input for `-`.
 *
 * @throws BadInput if it can't be read or is empty.
 */
export async function readContent(
  operand: string,
  { stdin, stderr, signal }: CommandContext,
): Promise<Buffer> {
  if (operand === '-') sayThatItWaits(stdin, stderr);
  const content =
    operand === '-'
      ? await readAll('Standard input', stdin, signal)
      : await readInputFile('The file', operand, signal);
  if (content.byteLength > 0) return content;
  const name = operand === '-' ? 'Standard input' : `The file ${operand}`;
  throw new BadInput(`${name} is empty. A delivery must carry information about a plant. Nothing was sent.`);
}

/** Tells the user of a terminal that the command reads what they type. */
function sayThatItWaits(stdin: CommandContext['stdin'], stderr: CommandContext['stderr']): void {
  if (!stdin.isTTY) return;
  stderr.write('plant-store: reading from standard input. Press Ctrl-D to end it.\n');
}

/**
 * Reads a whole file, or a named pipe to its end.
 *
 * @param what What the file is, for messages.
 * @throws BadInput if it can't be read, with the reason.
 */
export async function readInputFile(what: string, path: string, signal: AbortSignal): Promise<Buffer> {
  const name = `${what} ${path}`;
  return readable(name, signal, async () =>
    (await isPipe(path)) ? readAll(name, openPipe(path), signal) : readFile(path, { signal }),
  );
}

async function isPipe(path: string): Promise<boolean> {
  return (await stat(path)).isFIFO();
}

/**
 * Opens a named pipe for reading. Neither opening nor reading it occupies a thread, which would keep the process from
 * ending while nobody writes to the pipe.
 */
function openPipe(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

async function readAll(name: string, input: Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(name, input, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Reads a stream until it ends.
 *
 * @throws BadInput if it can't be read; the reason of the signal once it is aborted.
 */
export async function* readChunks(
  name: string,
  input: Readable,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const abort = (): void => void input.destroy(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    for await (const chunk of input) yield Buffer.from(chunk as Uint8Array);
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(name, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
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
  readonly read: () => AsyncIterable<Buffer>;
}

/**
 * Finds a file, or standard input for `-`. Nothing is opened yet.
 *
 * @throws BadInput if it is missing, a directory, or this user has no permission to read it.
 */
export async function findInput(operand: string, { stdin, stderr, signal }: CommandContext): Promise<Input> {
  if (operand === '-') {
    sayThatItWaits(stdin, stderr);
    const name = 'Standard input';
    return { name, bytes: undefined, read: () => readChunks(name, stdin, signal) };
  }
  const name = `The file ${operand}`;
  const stats = await readable(name, signal, () => stat(operand));
  if (stats.isDirectory()) throw unreadable(name, { code: 'EISDIR' });
  await readable(name, signal, () => access(operand, constants.R_OK));
  const open = stats.isFIFO() ? openPipe : createReadStream;
  const bytes = stats.isFile() ? stats.size : undefined;
  return { name, bytes, read: () => readChunks(name, open(operand), signal) };
}

/** Runs what reads a file, and explains its errors. An interrupt ends it, also while it blocks, as a device may. */
async function readable<T>(name: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  let abort = (): void => {};
  const interrupted = new Promise<never>(
    (_resolve, reject) => (abort = () => reject(signal.reason as Error)),
  );
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    return await Promise.race([read(), interrupted]);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof BadInput ? error : unreadable(name, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user has no permission to read it',
  EISDIR: 'it is a directory; name a file in it',
  ENOTDIR: 'a part of its path is not a directory',
};

function unreadable(name: string, error: unknown): BadInput {
  const { code, message } = error as NodeJS.ErrnoException;
  return new BadInput(`${name} can't be read: ${reasons[code ?? ''] ?? message}.`);
}
