import 'reflect-metadata';

import { fileURLToPath } from 'node:url';

import { answers } from '@plant-store/contract';

import { composeEntries } from './answers/compose-answers.js';
import { nameOf, parseConfig, unknownSettings } from './config/config.js';
import { readOpenFileLimit } from './config/open-files.js';
import { takePassedSocket } from './config/passed-socket.js';
import { startWatchdog } from './dispatch/watchdog.js';
import { exitCodeOf, ReceiverError } from './errors.js';
import { boundOutput } from './logging/bound-output.js';
import { logStrayErrors } from './logging/log-stray-errors.js';
import { openLog } from './logging/open-log.js';
import { type Receiver, startReceiver } from './receiver.js';

/** Your team's handler. Nothing else of the receiver knows where it is. */
const OWN_HANDLER = fileURLToPath(new URL('handler/index.js', import.meta.url));

type Close = Receiver['close'];

/**
 * Runs a receiver until this process ends.
 *
 * @param environment its settings; the variables of a socket that was passed are removed
 * @param stopping resolves when it shall stop in order, which it does as soon as it has started
 * @param unused signals that mean nothing to it
 */
export async function run(
  environment: NodeJS.ProcessEnv,
  stopping: Promise<void>,
  unused: readonly NodeJS.Signals[],
): Promise<void> {
  boundOutput(process.stdout);
  boundOutput(process.stderr);
  const stop = new AbortController();
  void stopping.then(() => stop.abort());
  try {
    const composed = composeEntries(answers);
    const settings = { ...environment, HANDLER: environment['HANDLER'] || OWN_HANDLER };
    const config = parseConfig(settings, composed.settings, readOpenFileLimit());
    const socket = takePassedSocket(environment, process.pid);
    const logger = openLog(config.LOG_LEVEL, nameOf(config));
    for (const warning of [...unknownSettings(environment), ...socket.warnings]) logger.warn(warning);
    logStrayErrors(logger);
    for (const signal of unused)
      process.on(signal, () =>
        logger.warn(`${signal} is ignored: the log is standard output, not a file to open again`),
      );
    const starting = start(config, logger, composed, socket.fd, stop.signal);
    void stopping.then(() => exitAfterStart(starting, config.SHUTDOWN_TIMEOUT_MS));
    await starting;
  } catch (error) {
    if (error === stop.signal.reason) process.exit(0);
    if (!(error instanceof ReceiverError)) throw error;
    const [first, ...more] = error.message.split('\n');
    process.stderr.write([`${first} [${error.code}]`, ...more, ''].join('\n'));
    // Something of the team's handler may not have ended, such as a timer.
    process.exit(exitCodeOf(error));
  }
}

/** Starts the receiver, and the watchdog until the process has ended. Resolves with what closes the receiver. */
async function start(...given: Parameters<typeof startReceiver>): Promise<Close> {
  const receiver = await startReceiver(...given);
  const [{ HANDLER_TIMEOUT_MS, SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS }, logger] = given;
  const endWithin = startWatchdog(HANDLER_TIMEOUT_MS, logger);
  return () => {
    endWithin(SHUTDOWN_DELAY_MS + SHUTDOWN_TIMEOUT_MS);
    return receiver.close();
  };
}

/** A start that hangs, as in a database of the handler, gets the time of a stop. One that failed ends the process itself. */
function exitAfterStart(starting: Promise<Close>, timeout: number): void {
  const hanging = setTimeout(() => process.exit(1), timeout);
  const started = starting.finally(() => clearTimeout(hanging));
  void started.then(exitAfter, () => undefined);
}

async function exitAfter(close: Close): Promise<void> {
  const complete = await close();
  process.exit(complete ? 0 : 1);
}
