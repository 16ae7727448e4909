/** The thread that watchdog.ts starts. */
import { write } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';

/** What the thread is given. Times in milliseconds. */
export interface Watch {
  /** The number of heartbeats of the event loop. */
  readonly beats: Int32Array;
  readonly interval: number;
  /** How long there may be no heartbeat. */
  readonly limit: number;
  /** The longest time of an attempt, for the log. */
  readonly timeout: number;
  /** Whether the log has fatal lines. */
  readonly isLogged: boolean;
  /** What each line of the log has. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** In a thread, `process.stdout` is a stream to the blocked one. */
const STDOUT = 1;

/** The log may be slow or stalled. The process ends after this time, in milliseconds, even if it has no line. */
const LOG_TIMEOUT = 500;
const LOG_RETRY = 20;

const { beats, interval, limit, timeout, isLogged, bindings } = workerData as Watch;
let lastBeat = -1;
let blocked = 0;

const watching = setInterval(() => {
  const beat = Atomics.load(beats, 0);
  // Ticks count, not the clock: a process or a machine that is suspended has none.
  blocked = beat === lastBeat ? blocked + interval : 0;
  lastBeat = beat;
  if (blocked < limit) return;
  clearInterval(watching);
  endProcess('the event loop is blocked; the process ends', { timeoutMs: timeout, blockedMs: blocked });
}, interval);

// How long the stop of the receiver may take. It ends by itself, unless something blocks the event loop.
parentPort!.once('message', (milliseconds: number) => {
  setTimeout(() => endProcess('the stop has not ended in time; the process ends'), milliseconds);
});

function endProcess(msg: string, fields: object = {}): void {
  if (!isLogged) return kill();
  const time = new Date().toISOString();
  const line = `${JSON.stringify({ level: 'fatal', time, ...bindings, ...fields, msg })}\n`;
  const writeLine = (): void =>
    write(STDOUT, line, (error) => {
      if (error?.code === 'EAGAIN') setTimeout(writeLine, LOG_RETRY);
      else kill();
    });
  setTimeout(kill, LOG_TIMEOUT);
  writeLine();
}

/** `process.exit` would end only this thread. */
function kill(): void {
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container goes on: no signal of its own ends it.
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: 'process.exit(1)' });
}
