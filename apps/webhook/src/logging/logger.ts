import { destination, type DestinationStream, type Level, type Logger, pino } from 'pino';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

/** Names under which a token could be logged by mistake, at the top and one level down. */
const SECRETS = ['authorization', 'accessToken', 'accessTokens', 'token', 'ACCESS_TOKENS'];

/**
 * The process's logger: one JSON object a line.
 *
 * @param stream defaults to standard output
 */
export function createLogger(
  level: Level | 'silent',
  stream: DestinationStream = destination({ sync: true }),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: SECRETS.flatMap((name) => [name, `*.${name}`]),
    },
    stream,
  );
}
