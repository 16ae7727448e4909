import type { Readable } from 'node:stream';
import { BadInput } from './bad-input.js';
import { readInputFile } from './read-input-file.js';

/**
 * Reads what is to be sent: a file, or standard input for `-`.
 *
 * @throws BadInput where it can't be read or is empty.
 */
export async function readContent(operand: string, stdin: Readable, signal: AbortSignal): Promise<Buffer> {
  const content =
    operand === '-' ? await readAll(stdin, signal) : await readInputFile('The file', operand, signal);
  if (content.byteLength > 0) return content;
  const name = operand === '-' ? 'Standard input' : `The file ${operand}`;
  throw new BadInput(`${name} is empty, so it carries no information about a plant. Nothing was sent.`);
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<Buffer> {
  const abort = (): void => void stdin.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    throw new BadInput(`Standard input can't be read: ${(error as Error).message}.`);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
