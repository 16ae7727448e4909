import { readFileSync } from 'node:fs';

import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';

import { DescribedError, errorText } from './describe-error.js';

const MANIFEST = new URL('../../package.json', import.meta.url);

/** Names under which a token could be logged by mistake, at the top and one level down. */
const SECRETS = ['authorization', 'accessToken', 'accessTokens', 'token', 'ACCESS_TOKENS'];

/**
 * Creates the process's logger: one JSON object a line. An error under `err` is limited in size.
 *
 * @param receiver its name, which each line has
 */
export function createLogger(
  level: Level | 'silent',
  stream: DestinationStream & { flushSync?: () => void },
  receiver?: string,
): Logger {
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string };
  return pino(
    {
      level,
      base: { service: 'plant-store-webhook', version, receiver },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (thrown: unknown) => DescribedError.of(thrown).fields },
      redact: SECRETS.flatMap((name) => [name, `*.${name}`]),
    },
    stream,
  );
}

/** A message may be whatever a provider of the handler has logged or thrown. */
const textOf = (message: unknown): string => (typeof message === 'string' ? message : errorText(message));

/**
 * Passes Nest's messages on to the process's logger. What Nest says about its start doesn't help an operator, and an
 * error that ends the start is thrown, too.
 */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: (message) => logger.trace(textOf(message)),
    warn: (message) => logger.warn(textOf(message)),
    error: (message, ...details) => {
      if (details.at(-1) === 'ExceptionHandler') return;
      if (typeof message === 'string') logger.error(message);
      else logger.error({ err: message }, errorText(message));
    },
  };
}
