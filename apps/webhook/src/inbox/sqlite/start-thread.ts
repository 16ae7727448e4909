import { Worker } from 'node:worker_threads';

import type { ThreadOptions } from './sqlite-thread.js';

/** Starts a thread that has the database of an inbox open. Tests start the one that was built. */
export function startThread(options: ThreadOptions): Worker {
  // What is preloaded into the process, such as an instrumentation, is not for this thread.
  return new Worker(new URL('sqlite-thread.js', import.meta.url), {
    workerData: options,
    execArgv: [],
    env: {},
  });
}
