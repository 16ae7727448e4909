import { readFileSync, statSync } from 'node:fs';

import type { TokenFormat } from '@plant-store/contract';

import { ReceiverError } from '../errors.js';
import { accessTokenTest } from './access-token-test.js';

/** How often a change is looked for, in milliseconds. Polling also sees a file that is replaced through a link. */
const POLL_INTERVAL = 500;

/**
 * Reads access tokens from a file: one a line; empty lines and lines that start with `#` do not count.
 *
 * @throws ReceiverError `ACCESS_TOKENS_UNREADABLE`. It names lines by number and never quotes one.
 */
export function readAccessTokensFile(path: string, format?: TokenFormat): string[] {
  const isToken = accessTokenTest(format);
  const lines = readText(path)
    .split('\n')
    .map((line) => line.trim());
  const malformed = lines.flatMap((line, index) => (isToken(line) || isIgnored(line) ? [] : [index + 1]));
  if (malformed.length > 0) {
    throw unreadable(
      path,
      `line ${malformed.join(', ')} is not an access token (RFC 6750 §2.1, b64token${format === undefined ? '' : `; token-format: ${format.name}`})`,
    );
  }
  const tokens = lines.filter(isToken);
  if (tokens.length === 0) throw unreadable(path, 'it holds no access token; write one on a line of its own');
  return tokens;
}

/**
 * Calls back whenever the file is no longer as it was when this was called: a file that is read after that is never
 * older than what is watched. Node's `watchFile` takes its first look later, and would miss a change until then.
 *
 * @returns ends the watch
 */
export function watchAccessTokensFile(path: string, onChange: () => void): () => void {
  let seen = versionOf(path);
  const timer = setInterval(() => {
    const version = versionOf(path);
    if (version === seen) return;
    seen = version;
    onChange();
  }, POLL_INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}

/** Changes whenever the file does; undefined while it cannot be looked at. */
function versionOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): ReceiverError {
  return new ReceiverError(
    'ACCESS_TOKENS_UNREADABLE',
    `The access tokens in ${path} cannot be used: ${reason}.`,
    { cause },
  );
}

const isIgnored = (line: string): boolean => line === '' || line.startsWith('#');
