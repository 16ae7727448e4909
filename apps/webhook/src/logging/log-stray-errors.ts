import type { Logger } from 'pino';

import { throttledLog } from './throttled-log.js';

/**
 * After an unhandled promise rejection, most likely one of the handler, the process goes on. After an uncaught exception
 * Node ends it, since what it left half done is unknown, unless something else of the process listens to it.
 */
export function logStrayErrors(logger: Logger): void {
  const log = throttledLog((fields) =>
    logger.error(fields, 'unhandled promise rejection; the receiver goes on'),
  );
  process.on('unhandledRejection', (err) => log({ err }));
  process.on('uncaughtExceptionMonitor', (err) => {
    const isHandled =
      process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
    if (isHandled)
      logger.error({ err }, 'uncaught exception; what listens to it decides whether the process ends');
    else logger.fatal({ err }, 'uncaught exception; the process ends');
  });
}
