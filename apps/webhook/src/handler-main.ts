/**
 * The handler's process, if HANDLER_PROCESS is `own`. dispatch/handler-process.ts starts it, with the level of the log and
 * the environment of the receiver.
 */
import 'reflect-metadata';

import { Worker } from 'node:worker_threads';

import type { Level } from 'pino';

import { serveAttempts } from './dispatch/serve-attempts.js';
import { openOutput } from './logging/line-output.js';
import { logStrayErrors } from './logging/log-stray-errors.js';
import { createLogger } from './logging/logger.js';

// The same as the receiver's.
const output = openOutput(process.stdout);
openOutput(process.stderr);
const logger = createLogger(process.argv[2] as Level, output);
logStrayErrors(logger);

// Ctrl+C, a terminal that closes and some supervisors signal every process. The receiver lets the attempts end first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

// The receiver has ended, whatever ended it. What is preloaded may have unreferenced the channel. If the handler blocks
// this thread, the other one sees it.
process.once('disconnect', () => process.exit(1));
process.channel?.ref();
const watch = new URL('dispatch/watch-receiver.js', import.meta.url);
new Worker(watch, { workerData: process.ppid, execArgv: [] }).unref();

try {
  // Imported late: the team's code may fail to load.
  const { openHandler } = await import('./dispatch/open-handler.js');
  serveAttempts(await openHandler(logger, process.env['INBOX_URL'] ?? ''));
} catch (err) {
  logger.fatal({ err }, 'the handler could not start');
  process.exit(1);
}
