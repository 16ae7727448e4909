import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';

/** The input of the command is wrong: one line for each fault. */
export class BadInput extends Error {
  readonly faults: readonly string[];

  constructor(...faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Where `readContent` reads from, and where it says that it waits. */
export interface ContentSource {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/**
 * Reads the content to send: a file, or standard input for `-`.
 *
 * @throws BadInput if it can't be read or is empty.
 */
export async function readContent(
  operand: string,
  { stdin, stderr, signal }: ContentSource,
): Promise<Buffer> {
  if (operand === '-' && stdin.isTTY) {
    stderr.write('plant-store: reading from standard input. Press Ctrl-D to end it.\n');
  }
  const content =
    operand === '-' ? await readAll(stdin, signal) : await readInputFile('The file', operand, signal);
  if (content.byteLength > 0) return content;
  const name = operand === '-' ? 'Standard input' : `The file ${operand}`;
  throw new BadInput(`${name} is empty. A delivery must carry information about a plant. Nothing was sent.`);
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

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user has no permission to read it',
  EISDIR: 'it is a directory; name a file in it',
  ENOTDIR: 'a part of its path is not a directory',
};

/**
 * Reads a whole file.
 *
 * @param what What the file is, for messages.
 * @throws BadInput if it can't be read, with the reason.
 */
export async function readInputFile(what: string, path: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await readFile(path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BadInput(`${what} ${path} can't be read: ${reasons[code ?? ''] ?? message}.`);
  }
}
