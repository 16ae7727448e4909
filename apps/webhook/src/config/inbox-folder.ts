import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ReceiverError } from '../errors.js';

/**
 * The folder that a `file:` URL names, absolute or relative to the working directory.
 *
 * @throws TypeError if it names no folder of this machine
 * @throws ReceiverError `INBOX_UNUSABLE` if it is relative, and the working directory was removed
 */
export function inboxFolder(url: string): string {
  const path = url.startsWith('file://') ? fileURLToPath(url) : /^file:(.+)$/.exec(url)?.[1];
  if (path === undefined || path === '/') throw new TypeError('The URL names no folder.');
  try {
    return resolve(path);
  } catch (cause) {
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      `The inbox ${url} is relative to the working directory, which was removed. Start in a folder that exists, or set INBOX_URL to an absolute folder.`,
      { cause },
    );
  }
}
