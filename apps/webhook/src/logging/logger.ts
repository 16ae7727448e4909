import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';

import { errorFields } from './describe-error.js';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

/** Names under which a token could be logged by mistake, at the top and one level down. */
const SECRETS = ['authorization', 'accessToken', 'accessTokens', 'token', 'ACCESS_TOKENS'];

/** Creates the process's logger: one JSON object a line. An error under `err` is limited in size. */
export function createLogger(level: Level | 'silent', stream: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      redact: SECRETS.flatMap((name) => [name, `*.${name}`]),
    },
    stream,
  );
}

/** Passes Nest's messages on to the process's logger. What Nest says about its start doesn't help an operator. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.trace(String(message));
  }

  warn(message: unknown): void {
    this.logger.warn(String(message));
  }

  error(message: unknown): void {
    if (message instanceof Error) this.logger.error({ err: message }, message.message);
    else this.logger.error(String(message));
  }

  fatal(message: unknown): void {
    this.error(message);
  }
}
