import type { Logger } from 'pino';

import { throttledLog } from './throttled-log.js';

/**
 * After an unhandled promise rejection, most likely one of the handler, the process goes on. After an uncaught exception
 * Node ends it: what it left half done is unknown.
 */
export function logStrayErrors(logger: Logger): void {
  const log = throttledLog((fields) =>
    logger.error(fields, 'unhandled promise rejection; the receiver goes on'),
  );
  process.on('unhandledRejection', (err) => log({ err }));
  process.on('uncaughtExceptionMonitor', (err) => {
    logger.fatal({ err }, 'uncaught exception; the process ends');
  });
}
