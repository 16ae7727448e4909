import type { Level, Logger } from 'pino';
import sonicBoom from 'sonic-boom';

import { createLogger } from './logger.js';

/** Most bytes that wait to be written: the log of about a second at `debug` under full load. */
const MAX_WAITING = 4_194_304;

/** Time between two attempts to write, in milliseconds. */
const RETRY_INTERVAL = 10;

/** How often the last lines are tried again while a reader is slow. */
const LAST_RETRIES = 50;

/**
 * Opens the log, which never waits for its reader. What can't be written now is kept, up to 4 MiB, and tried again with
 * the next line, and every 10 ms. Further lines are lost; a line has their number as soon as all that is kept was written.
 * After a fatal line, and when the process ends, a slow reader gets half a second.
 *
 * @param receiver its name, which each line has
 * @param fd a file, or a pipe or a socket that doesn't block. Node.js makes its own standard output such a one.
 */
export function openLog(level: Level | 'silent', receiver?: string, fd: number = process.stdout.fd): Logger {
  let lost = 0;
  /** Why the last attempt to write failed. */
  let failure: string | undefined;
  let retry: NodeJS.Timeout | undefined;
  // Synchronous, because a process that ends doesn't wait for what is written in a thread. With no least number of bytes,
  // `flush` would do nothing.
  const waiting = { maxLength: MAX_WAITING, minLength: 1, retryEAGAIN: () => false };
  const output = new sonicBoom.SonicBoom({ fd, sync: true, ...waiting });
  const flush = (): void => {
    retry = undefined;
    failure = undefined;
    output.flush();
  };
  // That of SonicBoom waits for a reader, or for space on a disk, without end.
  const flushSync = (): void => {
    for (let retries = 0; failure === 'EAGAIN' && retries < LAST_RETRIES; retries += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL);
      flush();
    }
  };
  const logger = createLogger(level, { write: (line) => output.write(line), flushSync }, receiver);
  output.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code;
    retry ??= setTimeout(flush, RETRY_INTERVAL).unref();
  });
  output.on('drop', () => (lost += 1));
  output.on('drain', () => {
    if (lost > 0) logger.error({ lost }, `lines lost: ${lost}`);
    lost = 0;
  });
  process.on('exit', flushSync);
  return logger;
}
