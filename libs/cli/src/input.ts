import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { systemReason } from '@plant-store/command/system-reason';
import { MAX_SIZE_LIMIT } from '@plant-store/contract';
import { BadInput, type CommandContext, say } from './context.js';

/**
 * Reads what a command sends: a file or a named pipe, or standard input for `-`.
 *
 * @returns Its bytes, and its name at the start of a sentence.
 * @throws BadInput if it can't be read; the reason of the signal once it is aborted.
 */
export async function readInput(operand: string, context: CommandContext) {
  const { signal, stdin } = context;
  if (operand !== '-')
    return { name: `The file ${operand}`, content: await readInputFile('The file', operand, signal) };
  const open = (): Readable => {
    if (stdin.isTTY) say('reading from standard input. Press Ctrl-D to end it.', context);
    return stdin;
  };
  const name = 'Standard input';
  return { name, content: await readAll(name, open, signal) };
}

/**
 * Reads a whole file, or a named pipe to its end.
 *
 * @param what What the file is, for messages.
 * @throws BadInput if it can't be read, with the reason.
 */
export function readInputFile(what: string, path: string, signal: AbortSignal): Promise<Buffer> {
  const name = `${what} ${path}`;
  const open = (): Readable => {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new BadInput(`${name} is a directory.`);
    if (!stats.isFIFO()) return createReadStream(path);
    // Waiting for a named pipe occupies no thread, which would keep the process from ending.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: true, writable: false });
  };
  return readAll(name, open, signal);
}

async function readAll(name: string, open: () => Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    signal.throwIfAborted();
    for await (const chunk of addAbortSignal(signal, open()) as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_SIZE_LIMIT)
        throw new BadInput(`${name} has more than ${MAX_SIZE_LIMIT} bytes, which no receiver accepts.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof BadInput ? error : new BadInput(`${name} can't be read: ${systemReason(error)}.`);
  }
}
