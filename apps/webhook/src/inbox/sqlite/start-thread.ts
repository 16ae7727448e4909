import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
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

/** Starts a process that brings an inbox to the version of this receiver. */
export function startUpgrade(folder: string): ChildProcess {
  return fork(fileURLToPath(new URL('upgrade-process.js', import.meta.url)), [folder], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
