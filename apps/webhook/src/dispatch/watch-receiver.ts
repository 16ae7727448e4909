/**
 * A thread of the handler's process. When the receiver has ended, it ends the process, even if the handler blocks the
 * main thread.
 */
import { workerData } from 'node:worker_threads';

/** In milliseconds. */
const INTERVAL = 1_000;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, INTERVAL);
