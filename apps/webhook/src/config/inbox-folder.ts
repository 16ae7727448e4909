import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder that a `file:` URL names, absolute or relative to the working directory.
 *
 * @throws TypeError if it names no folder of this machine
 */
export function inboxFolder(url: string): string {
  const path = url.startsWith('file://') ? fileURLToPath(url) : /^file:(.+)$/.exec(url)?.[1];
  if (path === undefined || path === '/') throw new TypeError('The URL names no folder.');
  return resolve(path);
}
