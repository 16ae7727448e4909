// Handles signals, and imports the rest only then: until a signal is handled, the first process of a container never gets
// it, and SIGUSR1 opens the debugger of Node.js.

import { requireOpenFiles } from './config/open-files.js';
import { onFirstSignal } from './first-signal.js';

/** Signals that stop the receiver. */
const STOP = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Resolves at the first signal that stops the receiver. A second one ends the process at once, except SIGHUP: a terminal
 * that closes sends it several times.
 */
const stopping = new Promise<void>((resolve) => {
  onFirstSignal(process, STOP, resolve, () => {
    // To the first process of a container, the default effect is none.
    if (process.pid === 1)
      process.on('SIGTERM', () => process.exit(143)).on('SIGINT', () => process.exit(130));
  });
});

/** Signals that programs which rotate logs send. A preloaded module, or an option of Node.js, may listen to one. */
const unused = (['SIGUSR1', 'SIGUSR2'] as const).filter((signal) => process.listenerCount(signal) === 0);

for (const signal of ['SIGHUP', ...unused]) process.on(signal, () => undefined);

// The import of the rest opens more files at once than a low limit allows, and would say only which one it couldn't open.
requireOpenFiles();

const { run } = await import('./run.js');
await run(process.env, stopping, unused);
