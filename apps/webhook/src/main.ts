import 'reflect-metadata';

import { parseConfig } from './config.js';
import { ReceiverError } from './errors.js';
import { createLogger } from './logging/logger.js';
import { type Receiver, startReceiver } from './receiver.js';

try {
  const config = parseConfig(process.env);
  closeOnSignal(await startReceiver(config, createLogger(config.LOG_LEVEL)));
} catch (error) {
  if (!(error instanceof ReceiverError)) throw error;
  process.stderr.write(`${error.message} [${error.code}]\n`);
  process.exitCode = 1;
}

/** The first signal stops the receiver in order; a second one ends the process at once. */
function closeOnSignal(receiver: Receiver): void {
  const stop = async (): Promise<void> => {
    const complete = await receiver.close();
    process.exit(complete ? 0 : 1);
  };
  process.once('SIGTERM', () => void stop());
  process.once('SIGINT', () => void stop());
}
