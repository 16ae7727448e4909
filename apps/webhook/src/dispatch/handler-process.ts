import { type ChildProcess, fork } from 'node:child_process';

import type { Logger } from 'pino';

import { errorText, ForeignError } from '../logging/describe-error.js';
import { backoff } from './backoff.js';
import { type Attempt, type DeliveryHandler, type HandlerHost, ProcessEnded } from './handler-host.js';
import {
  type EndedAttempt,
  type FromHandler,
  MessageBatch,
  type NumberedAttempt,
  type ToHandler,
} from './handler-messages.js';

/** What runs in the handler's process. */
const PROGRAM = new URL('../handler-main.js', import.meta.url);

/** How long the process may take until it is ready, in milliseconds. Then it is killed. */
const START_TIMEOUT = 30_000;

/**
 * How long the process may take to end an attempt that was aborted, in milliseconds. Then it is killed: it does so at
 * once, whatever the handler does with the signal, unless the handler blocks it.
 */
const ABORT_TIMEOUT = 1_000;

/** The wait before the process starts again, in milliseconds. It doubles until an attempt has ended in order. */
const RESTART_BACKOFF = 100;
const MAX_RESTART_BACKOFF = 30_000;

/** An attempt that has not ended. */
interface Running {
  readonly attempt: Attempt;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
  killTimer?: NodeJS.Timeout;
}

/**
 * Runs the handler in a process of its own, so that deliveries are accepted whatever the handler does. A process that
 * ended is started again, after a wait.
 */
export class HandlerProcess implements HandlerHost {
  readonly #running = new Map<number, Running>();
  readonly #batch = new MessageBatch<NumberedAttempt>((attempts) => this.#send({ kind: 'start', attempts }));
  #child: ChildProcess | undefined;
  #isReady = false;
  #isStopping = false;
  #lastNumber = 0;
  /** How often the process has ended since an attempt ended in order. */
  #endings = 0;
  /** Until the process must be ready, or starts again. */
  #timer: NodeJS.Timeout | undefined;
  #onReady: () => void = () => undefined;
  #onStopped: () => void = () => undefined;

  constructor(private readonly logger: Logger) {}

  get isReady(): boolean {
    return this.#isReady;
  }

  start(onReady: () => void): void {
    this.#onReady = onReady;
    this.#fork();
  }

  readonly run: DeliveryHandler = (delivery, attempt) =>
    new Promise((resolve, reject) => {
      const number = (this.#lastNumber += 1);
      this.#running.set(number, { attempt, resolve, reject });
      attempt.signal.addEventListener('abort', () => this.#abort(number), { once: true });
      this.#batch.add({ number, delivery });
    });

  async stop(deadline: AbortSignal): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    const stopped = new Promise<void>((resolve) => (this.#onStopped = resolve));
    const kill = (): void => void child.kill('SIGKILL');
    if (deadline.aborted || !this.#isReady) kill();
    else deadline.addEventListener('abort', kill, { once: true });
    this.#send({ kind: 'stop' });
    await stopped;
    deadline.removeEventListener('abort', kill);
  }

  #fork(): void {
    let child: ChildProcess;
    try {
      child = fork(PROGRAM, [this.logger.level], {
        serialization: 'advanced',
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
    } catch (error) {
      this.#onEnd(errorText(error));
      return;
    }
    this.#child = child;
    this.#timer = setTimeout(() => this.#kill('it was not ready in time'), START_TIMEOUT);
    child.on('message', (message) => this.#onMessage(message as FromHandler | null));
    child.on('error', (error) => {
      if (child.pid === undefined) this.#onEnd(errorText(error));
    });
    child.once('disconnect', () => this.#onDisconnect(child));
    child.once('exit', (code, signal) => {
      const onEnd = (): void => this.#onEnd(signal ?? `exit code ${code}`);
      // The last results may not have been read yet.
      if (child.connected) child.once('disconnect', onEnd);
      else onEnd();
    });
  }

  /** A process without its channel ends by itself, unless the handler blocks it. */
  #onDisconnect(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#isReady = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#kill('it has closed its channel'), ABORT_TIMEOUT);
  }

  /** What the handler itself sends is ignored. */
  #onMessage(message: FromHandler | null): void {
    if (message?.kind === 'ready') {
      clearTimeout(this.#timer);
      this.#isReady = true;
      this.logger.info({ pid: this.#child?.pid }, "the handler's process is ready");
      this.#onReady();
    } else if (message?.kind === 'ended') {
      this.#endings = 0;
      for (const attempt of message.attempts) this.#onAttemptEnded(attempt);
    }
  }

  #onAttemptEnded({ number, error }: EndedAttempt): void {
    const running = this.#running.get(number);
    this.#running.delete(number);
    clearTimeout(running?.killTimer);
    if (error === undefined) running?.resolve();
    else running?.reject(new ForeignError(error));
  }

  #abort(number: number): void {
    const running = this.#running.get(number);
    if (running === undefined) return;
    this.#send({ kind: 'abort', number, reason: reasonOf(running.attempt) });
    running.killTimer = setTimeout(() => this.#kill('it does not respond'), ABORT_TIMEOUT);
  }

  #kill(why: string): void {
    if (this.#child?.killed) return;
    this.#isReady = false;
    this.logger.error({ why }, "the handler's process is killed");
    this.#child?.kill('SIGKILL');
  }

  /** Any of the attempts that were running may be the cause. */
  #onEnd(how: string): void {
    clearTimeout(this.#timer);
    this.#child = undefined;
    this.#isReady = false;
    for (const { attempt, reject, killTimer } of this.#running.values()) {
      clearTimeout(killTimer);
      const what = attempt.signal.aborted
        ? `${reasonOf(attempt)}, and its process ended`
        : "the handler's process ended during the attempt";
      reject(new ProcessEnded(`${what} (${how})`));
    }
    this.#running.clear();
    if (this.#isStopping) return this.#onStopped();
    this.#endings += 1;
    const restartAfter = backoff(this.#endings, RESTART_BACKOFF, MAX_RESTART_BACKOFF);
    this.logger.error({ how, restartAfter }, "the handler's process ended; it starts again");
    this.#timer = setTimeout(() => this.#fork(), restartAfter);
  }

  #send(message: ToHandler): void {
    // A message that can't be sent is followed by the end of the process.
    this.#child?.send(message, () => undefined);
  }
}

function reasonOf({ signal }: Attempt): string {
  return (signal.reason as Error).message;
}
