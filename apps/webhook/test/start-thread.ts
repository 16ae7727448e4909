import { Worker } from 'node:worker_threads';

import type { ThreadOptions } from '../src/inbox/sqlite/sqlite-thread.js';

/** Starts the thread of an embedded inbox as it was built. Jest doesn't compile what a thread runs. */
export function startThread(options: ThreadOptions): Worker {
  return new Worker(new URL('../dist/inbox/sqlite/sqlite-thread.js', import.meta.url), {
    workerData: options,
    execArgv: [],
    env: {},
  });
}
