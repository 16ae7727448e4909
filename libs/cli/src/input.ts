import {
  constants,
  createReadStream,
  fstatSync,
  type NoParamCallback,
  openSync,
  read,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { systemReason } from '@plant-store/sdk/internal-light';
import { BadInput, type CommandContext, say } from './context.js';

/** What a command sends: a file, a named pipe or standard input. */
export interface Input {
  /** Its name at the start of a sentence. */
  readonly name: string;
  /** How many bytes a file has now; `undefined` of what can't be read again. */
  readonly size: () => number | undefined;
  /**
   * Reads it from the start.
   *
   * @param length Of a file: reads only so many bytes, so that a file that grows meanwhile is the same each time.
   * @throws BadInput if it can't be read, or is shorter; the reason of the signal once it is aborted.
   */
  readonly read: (length?: number) => AsyncGenerator<Buffer>;
}

/**
 * Opens a file, or finds standard input for `-`. It stays open until the process ends: a file that takes its name
 * meanwhile is another one.
 *
 * @throws BadInput if there is no such file.
 */
export async function findInput(operand: string, context: CommandContext): Promise<Input> {
  const { signal, stdin } = context;
  if (operand !== '-') return openInput('The file', operand, signal);
  const name = 'Standard input';
  const open = (): Readable => {
    if (stdin.isTTY) say('reading from standard input. Press Ctrl-D to end it.', context);
    return stdin;
  };
  return { name, size: () => undefined, read: () => readChunks(name, open, signal) };
}

/**
 * Reads a whole file, or a named pipe to its end.
 *
 * @param what What the file is, for messages.
 * @throws BadInput if it can't be read, with the reason.
 */
export async function readInputFile(what: string, path: string, signal: AbortSignal): Promise<Buffer> {
  return buffer(openInput(what, path, signal).read());
}

function openInput(what: string, path: string, signal: AbortSignal): Input {
  const name = `${what} ${path}`;
  try {
    // Waiting for a named pipe occupies no thread, which would keep the process from ending.
    const isPipe = statSync(path).isFIFO();
    const fd = openSync(path, isPipe ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY);
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new BadInput(`${name} is a directory.`);
    const isFile = stats.isFile();
    const open = (length = Infinity): Readable => {
      if (isPipe) return new Socket({ fd, readable: true, writable: false });
      // What is no file can't be read from a position.
      return createReadStream(path, { fd, fs: staysOpen, ...(isFile && { start: 0, end: length }) });
    };
    return {
      name,
      size: () => (isFile ? fstatSync(fd).size : undefined),
      read: (length) => readChunks(name, () => open(length), signal, length),
    };
  } catch (error) {
    throw error instanceof BadInput ? error : unreadable(name, error);
  }
}

/** A stream that is destroyed closes its file otherwise. */
const staysOpen = { read, close: (_fd: number, done?: NoParamCallback) => done?.(null) };

async function* readChunks(
  name: string,
  open: () => Readable,
  signal: AbortSignal,
  length?: number,
): AsyncGenerator<Buffer> {
  let missing = length ?? 0;
  try {
    signal.throwIfAborted();
    for await (const chunk of addAbortSignal(signal, open())) {
      const bytes = Buffer.from(chunk as Uint8Array);
      // A byte more was asked for, because a file can't be read up to nothing.
      yield length === undefined ? bytes : bytes.subarray(0, missing);
      missing -= bytes.byteLength;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(name, error);
  }
  if (missing > 0) throw new BadInput(`${name} has become shorter.`);
}

function unreadable(name: string, error: unknown): BadInput {
  return new BadInput(`${name} can't be read: ${systemReason(error)}.`);
}
