import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { systemReason } from '@plant-store/command/system-reason';
import { ACCESS_TOKEN_PATTERN, type ExecutableAnswers } from '@plant-store/contract';
import type { Logger } from 'pino';

import type { Config } from '../config/config.js';
import { ReceiverError } from '../errors.js';
import { describeDenied } from '../file-owner.js';

/** How often the file is checked for a change, in milliseconds. Polling also notices a replaced symbolic link. */
const POLL_INTERVAL = 500;

/** Where the access tokens come from. */
export interface AccessTokenSource {
  /** Those that are accepted now. It is another list after a change. */
  readonly tokens: readonly string[];
  /** Whether these are the tokens of the file as it is now. False while it can't be used, and those read last stay. */
  readonly areCurrent: boolean;
  /** Ends the watch of their file. */
  readonly close: () => void;
}

/**
 * Opens the access tokens that the configuration gives: opaque, several at a time, replaceable while the receiver runs
 * (questions `token-issuance`, `token-format`, `token-lifetime`). A file of tokens is read again whenever its text
 * changes. While it can't be used, the tokens that were read last stay.
 *
 * Its text is compared, not its times: two changes within one tick of the file system's clock have the same.
 *
 * @param matcher what the tokens of the file must match (question `token-format`)
 * @throws ReceiverError `ACCESS_TOKENS_UNREADABLE`
 */
export function openAccessTokens(
  { ACCESS_TOKENS, ACCESS_TOKENS_FILE: given }: Pick<Config, 'ACCESS_TOKENS' | 'ACCESS_TOKENS_FILE'>,
  logger: Logger,
  matcher: TokenMatcher,
): AccessTokenSource {
  if (given === undefined) return { tokens: ACCESS_TOKENS ?? [], areCurrent: true, close: () => undefined };
  const path = absolute(given);
  const first = readAccessTokensFile(path, matcher);
  if (first.tokens instanceof ReceiverError) throw first.tokens;
  let { version } = first;
  const source = { tokens: first.tokens, areCurrent: true, close: () => clearInterval(timer) };
  const timer = setInterval(() => {
    const file = readAccessTokensFile(path, matcher);
    if (file.version === version) return;
    version = file.version;
    source.areCurrent = !(file.tokens instanceof ReceiverError);
    if (file.tokens instanceof ReceiverError)
      return logger.error({ err: file.tokens }, 'access tokens not reloaded; those read last stay');
    source.tokens = file.tokens;
    logger.info({ file: path, count: source.tokens.length }, 'access tokens reloaded');
  }, POLL_INTERVAL);
  timer.unref();
  return source;
}

/** A handler may change the working directory. */
function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw unreadable(path, 'the working directory was removed', cause);
  }
}

/** A file of access tokens as it was read once. */
export interface AccessTokensFile {
  /** Changes whenever its text does, or the reason why it can't be read. */
  readonly version: string;
  /** Its tokens, or why it can't be used: `ACCESS_TOKENS_UNREADABLE`. */
  readonly tokens: readonly string[] | ReceiverError;
}

/** Reads a file of access tokens. */
export function readAccessTokensFile(path: string, matcher: TokenMatcher): AccessTokensFile {
  const text = readText(path);
  if (text instanceof ReceiverError) return { version: text.message, tokens: text };
  return { version: hash('sha256', text), tokens: parseAccessTokens(text, path, matcher) };
}

/**
 * Parses the text of a file of access tokens: one a line; empty lines and lines that start with `#` are ignored. Each
 * line has its end: a last line without one may be the beginning of a token whose file is being written.
 *
 * @returns the tokens, or `ACCESS_TOKENS_UNREADABLE`, which names lines by number and never quotes one
 */
function parseAccessTokens(text: string, path: string, matcher: TokenMatcher): string[] | ReceiverError {
  const lines = text.split('\n').map((line) => line.trim());
  const malformed = lines.flatMap((line, index) =>
    matcher.matches(line) || isIgnored(line) ? [] : [index + 1],
  );
  if (malformed.length > 0) {
    const format = matcher.format === undefined ? '' : ` of the format ${matcher.format} (token-format)`;
    return unreadable(
      path,
      `line ${malformed.join(', ')} is not an access token (RFC 6750 §2.1, b64token)${format}`,
    );
  }
  const tokens = lines.filter((line) => matcher.matches(line));
  if (text !== '' && !text.endsWith('\n'))
    return unreadable(
      path,
      `line ${lines.length} has no line end, so it may be cut; end the last line with a line feed`,
    );
  if (tokens.length === 0) return unreadable(path, 'it has no access token; write one on a line of its own');
  return tokens;
}

/** A named pipe is refused before it is opened: to read one waits for a writer, and the receiver would stand still. */
function readText(path: string): string | ReceiverError {
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a regular file; write the tokens into one');
    return readFileSync(path, 'utf8');
  } catch (cause) {
    return unreadable(path, systemReason(cause), cause, describeDenied([path], 'read'));
  }
}

function unreadable(path: string, reason: string, cause?: unknown, denied = ''): ReceiverError {
  return new ReceiverError(
    'ACCESS_TOKENS_UNREADABLE',
    `ACCESS_TOKENS_FILE: the access tokens in ${path} cannot be used: ${reason}.${denied}`,
    { cause },
  );
}

const isIgnored = (line: string): boolean => line === '' || line.startsWith('#');

/** Recognises access tokens. */
export interface TokenMatcher {
  /** Name of the format that is answered; undefined while the question `token-format` is open. */
  readonly format: string | undefined;
  matches(text: string): boolean;
}

/** Matches what RFC 6750 allows as a token, and the format if it is answered (question `token-format`). */
export function createTokenMatcher(format: ExecutableAnswers['token-format'] | undefined): TokenMatcher {
  if (format === undefined) return { format: undefined, matches: (text) => ACCESS_TOKEN_PATTERN.test(text) };
  const pattern = new RegExp(format.pattern);
  return {
    format: format.name,
    matches: (text) => ACCESS_TOKEN_PATTERN.test(text) && pattern.test(text),
  };
}
