import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

import type { Logger } from 'pino';

import type { Config } from '../config/config.js';
import { ReceiverError } from '../errors.js';
import { AccessTokens, type TokenMatcher } from './access-tokens.js';

/** How often the file is checked for a change, in milliseconds. Polling also notices a replaced symbolic link. */
const POLL_INTERVAL = 500;

/** The accepted tokens, and what ends the watch of their file. */
export interface AccessTokenSource {
  readonly accessTokens: AccessTokens;
  readonly close: () => void;
}

/**
 * Opens the accepted tokens that the configuration gives. A file of tokens is read again whenever it changes. While it
 * can't be used, the tokens that were read last stay.
 *
 * @param matcher what the tokens of the file must match (question `token-format`)
 * @throws ReceiverError `ACCESS_TOKENS_UNREADABLE`
 */
export function openAccessTokens(
  { ACCESS_TOKENS, ACCESS_TOKENS_FILE: file }: Pick<Config, 'ACCESS_TOKENS' | 'ACCESS_TOKENS_FILE'>,
  logger: Logger,
  matcher: TokenMatcher,
): AccessTokenSource {
  if (file === undefined)
    return { accessTokens: new AccessTokens(ACCESS_TOKENS ?? []), close: () => undefined };

  const accessTokens = new AccessTokens([]);
  /** Why the file couldn't be read at the last look, which is logged once. */
  let failure: string | undefined;
  const reload = (): boolean => {
    const before = failure;
    failure = undefined;
    try {
      const tokens = readAccessTokensFile(file, matcher);
      accessTokens.replace(tokens);
      logger.info({ file, count: tokens.length }, 'access tokens reloaded');
    } catch (err) {
      const { message, cause } = err as ReceiverError;
      if (cause !== undefined) failure = message;
      if (failure === undefined || failure !== before)
        logger.error({ err }, 'access tokens not reloaded; those read last stay');
    }
    return failure === undefined;
  };
  const close = watchFile(file, reload);
  try {
    accessTokens.replace(readAccessTokensFile(file, matcher));
  } catch (error) {
    close();
    throw error;
  }
  return { accessTokens, close };
}

/**
 * Reads access tokens from a file: one a line; empty lines and lines that start with `#` are ignored. Each line has its
 * end: a last line without one may be the beginning of a token whose file is being written.
 *
 * @throws ReceiverError `ACCESS_TOKENS_UNREADABLE`. It names lines by number and never quotes one.
 */
export function readAccessTokensFile(path: string, matcher: TokenMatcher): string[] {
  const text = readText(path);
  const lines = text.split('\n').map((line) => line.trim());
  const malformed = lines.flatMap((line, index) =>
    matcher.matches(line) || isIgnored(line) ? [] : [index + 1],
  );
  if (malformed.length > 0) {
    const format = matcher.format === undefined ? '' : ` of the format ${matcher.format} (token-format)`;
    throw unreadable(
      path,
      `line ${malformed.join(', ')} is not an access token (RFC 6750 §2.1, b64token)${format}`,
    );
  }
  const tokens = lines.filter((line) => matcher.matches(line));
  if (text !== '' && !text.endsWith('\n'))
    throw unreadable(
      path,
      `line ${lines.length} has no line end, so it may be cut; end the last line with a line feed`,
    );
  if (tokens.length === 0) throw unreadable(path, 'it has no access token; write one on a line of its own');
  return tokens;
}

/**
 * Calls back whenever the text of the file differs from what it was when this was called. A file that is read after that
 * is never older than what is watched. Node's `watchFile` looks for the first time later, and would miss a change until
 * then.
 *
 * @param onChange returns whether the file was read. If not, it is called again at the next look: what passes, such as
 * too many open files, changes no file.
 * @returns ends the watch
 */
function watchFile(path: string, onChange: () => boolean): () => void {
  /** The version that was read; undefined if it couldn't be. */
  let read = versionOf(path);
  const timer = setInterval(() => {
    const version = versionOf(path);
    if (version !== undefined && version === read) return;
    read = onChange() ? version : undefined;
  }, POLL_INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Changes whenever the text of the file does; undefined while it can't be read. The times of a file don't tell: two
 * changes within one tick of the file system's clock have the same.
 */
function versionOf(path: string): string | undefined {
  try {
    return hash('sha256', readText(path));
  } catch {
    return undefined;
  }
}

/** A named pipe is refused before it is opened: to read one waits for a writer, and the receiver would stand still. */
function readText(path: string): string {
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a regular file; write the tokens into one');
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause);
  }
}

function unreadable(path: string, reason: string, cause?: unknown): ReceiverError {
  return new ReceiverError(
    'ACCESS_TOKENS_UNREADABLE',
    `ACCESS_TOKENS_FILE: the access tokens in ${path} cannot be used: ${reason}.`,
    { cause },
  );
}

const isIgnored = (line: string): boolean => line === '' || line.startsWith('#');
