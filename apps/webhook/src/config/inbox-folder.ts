import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ReceiverError } from '../errors.js';

/** A URL that probably names another inbox than the one that was meant. The message says what to write. */
export class UnmeantUrl extends TypeError {}

const SPACE =
  'remove the white space, the quotation mark or the control character before or behind the folder';

/** What a shell, a URL or a form leaves in the name of a folder, and nobody means. */
const UNMEANT: readonly (readonly [found: RegExp, advice: string])[] = [
  [/^[\s'"]|[\s'"]$|\p{Cc}/u, SPACE],
  [/(?:^|\/)~|\$/, 'write the whole path: here no shell replaces ~ or a variable'],
  [/[?#]/, 'a folder has no ? and no #'],
  [/\\/, 'write / between folders'],
  [/%/, 'write the characters themselves: only file:/// has them as %20 and the like'],
];

/**
 * The folder that a `file:` URL names, absolute or relative to the working directory.
 *
 * @throws TypeError if it names no folder of this machine
 * @throws UnmeantUrl if nobody means that folder
 * @throws ReceiverError `INBOX_UNUSABLE` if the working directory was removed
 */
export function inboxFolder(url: string): string {
  const written = /^file:(.+)$/s.exec(url)?.[1] ?? '';
  const isEncoded = written.startsWith('//');
  const [, advice] =
    UNMEANT.find(([found]) => found.test(isEncoded ? written.replaceAll('%', '') : written)) ?? [];
  if (advice !== undefined) throw new UnmeantUrl(advice);
  const path = isEncoded ? fileURLToPath(url) : written;
  if (path === '' || path === '/') throw new TypeError('The URL names no folder.');
  if (UNMEANT[0]![0].test(path)) throw new UnmeantUrl(SPACE);
  try {
    // Without one, no thread can start.
    return resolve(process.cwd(), path);
  } catch (cause) {
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      'The working directory was removed. Start in a folder that exists.',
      { cause },
    );
  }
}
