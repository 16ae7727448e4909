import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

import type { Logger } from 'pino';

import type { Watch } from './watchdog-thread.js';

/** The time between two heartbeats of the event loop, in milliseconds. */
const INTERVAL = 250;

/** How much longer than an attempt or a stop may take the event loop may be blocked, in milliseconds. */
const MARGIN = 1_000;

/** The number of heartbeats, which the thread reads. */
const beats = new Int32Array(new SharedArrayBuffer(4));

/** The event loop goes on. Each attempt says so, too: many that return at once run in one turn of the loop. */
export const beat = (): void => void Atomics.add(beats, 0, 1);

/**
 * Has a thread end the process when its event loop is blocked for longer than an attempt may take, most likely by the
 * handler. Nothing in this thread can stop that. With a debugger (`--inspect`) nothing is watched.
 *
 * @param timeout of an attempt, in milliseconds
 * @returns what has the thread end the process after so many milliseconds: call it when the receiver stops
 */
export function startWatchdog(timeout: number, logger: Logger): (milliseconds: number) => void {
  if (debuggerUrl() !== undefined) return () => undefined;
  const watch: Watch = {
    beats,
    interval: INTERVAL,
    limit: timeout + MARGIN,
    timeout,
    isLogged: logger.isLevelEnabled('fatal'),
    bindings: logger.bindings(),
  };
  const thread = new Worker(new URL('watchdog-thread.js', import.meta.url), {
    workerData: watch,
    // What is preloaded into the process, such as an instrumentation, is not for this thread.
    execArgv: [],
    env: {},
  });
  thread.unref();
  thread.on('error', (err) => {
    logger.error({ err }, 'the watchdog failed; a process whose event loop is blocked is not ended');
  });
  setInterval(beat, INTERVAL).unref();
  return (milliseconds) => thread.postMessage(milliseconds + MARGIN);
}
