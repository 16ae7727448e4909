import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import type { ThreadOptions } from '../src/inbox/sqlite/sqlite-thread.js';

const BUILT = new URL('../dist/inbox/sqlite/', import.meta.url);

/** Starts the thread of an embedded inbox as it was built. Jest doesn't compile what a thread runs. */
export function startThread(options: ThreadOptions): Worker {
  return new Worker(new URL('sqlite-thread.js', BUILT), {
    workerData: options,
    execArgv: [],
    env: {},
  });
}

/** The same for the process that brings an inbox to another version. */
export function startUpgrade(folder: string): ChildProcess {
  return fork(fileURLToPath(new URL('upgrade-process.js', BUILT)), [folder], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
