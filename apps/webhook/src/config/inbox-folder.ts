import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ReceiverError } from '../errors.js';

/** What a shell or a URL would have replaced, and what is left of a form or a file: nobody means it as a name. */
const UNREPLACED = /(?:^|\/)~|[$?#\\%]/;
const LEFT_OVER = /^[\s'"]|[\s'"]$|\p{Cc}/u;

/**
 * The folder that a `file:` URL names, absolute or relative to the working directory. Only `file:///` has characters as
 * `%20` and the like.
 *
 * @throws TypeError if it names no folder of this machine, or one that nobody means
 * @throws ReceiverError `INBOX_UNUSABLE` if the working directory was removed
 */
export function inboxFolder(url: string): string {
  const written = /^file:(.+)$/s.exec(url)?.[1] ?? '';
  const isEncoded = written.startsWith('//');
  const path = isEncoded ? fileURLToPath(url) : written;
  const isUnmeant =
    UNREPLACED.test(isEncoded ? written.replaceAll('%', '') : written) ||
    LEFT_OVER.test(written) ||
    LEFT_OVER.test(path);
  if (path === '' || path === '/' || isUnmeant) throw new TypeError('The URL names no folder.');
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
