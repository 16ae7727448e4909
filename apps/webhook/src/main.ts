import 'reflect-metadata';

import { accepts, answers } from '@plant-store/contract';

import { composeAnswers } from './answers/compose-answers.js';
import { parseConfig, unknownSettings } from './config/config.js';
import { readOpenFileLimit } from './config/open-files.js';
import { takePassedSocket } from './config/passed-socket.js';
import { startWatchdog } from './dispatch/watchdog.js';
import { ReceiverError } from './errors.js';
import { logStrayErrors } from './logging/log-stray-errors.js';
import { openLog } from './logging/open-log.js';
import { type Receiver, startReceiver } from './receiver.js';

type Close = Receiver['close'];

// Their reader may go away, and their disk may be full.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const composed = composeAnswers(answers, accepts);
  const config = parseConfig(process.env, composed.settings, readOpenFileLimit());
  const socket = takePassedSocket(process.env, process.pid);
  const logger = openLog(config.LOG_LEVEL);
  for (const warning of [...unknownSettings(process.env), ...socket.warnings]) logger.warn(warning);
  logStrayErrors(logger);
  const starting = start(config, logger, composed, socket.fd);
  closeOnSignal(starting, config.SHUTDOWN_TIMEOUT_MS);
  await starting;
} catch (error) {
  if (!(error instanceof ReceiverError)) throw error;
  const [first, ...more] = error.message.split('\n');
  process.stderr.write([`${first} [${error.code}]`, ...more, ''].join('\n'));
  // Something of the team's handler may not have ended, such as a timer.
  process.exit(1);
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

/**
 * The first signal stops the receiver in order, as soon as it has started. A start that hangs, as in a database of the
 * handler, gets the time of a stop. A second signal ends the process at once, except SIGHUP: a terminal that closes sends
 * it several times.
 */
function closeOnSignal(starting: Promise<Close>, timeout: number): void {
  const onSignal = (): void => {
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onSignal);
    const hanging = setTimeout(() => process.exit(1), timeout);
    // A start that failed ends the process by itself.
    const started = starting.finally(() => clearTimeout(hanging));
    void started.then(exitAfter, () => undefined);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onSignal);
  process.on('SIGHUP', () => undefined);
}

async function exitAfter(close: Close): Promise<void> {
  const complete = await close();
  process.exit(complete ? 0 : 1);
}
