import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';

import { ENTRY } from './build.mjs';
import { isAlive, startChild } from './child.mjs';

/** Waited before the restart after a first crash; twice as long after each further one. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

/**
 * Runs the built receiver, and again after a crash, always on the ports on which it has listened first: those that the
 * system chooses for 0 would be others each time.
 *
 * - `line` (text): a line of its log
 * - `listening` (entry): it takes deliveries
 * - `failed` (code): it has ended before this build ever listened, which no restart fixes
 * - `crashed` (signal or exit code, milliseconds until it starts again)
 */
export class DevelopmentReceiver extends EventEmitter {
  #child;
  #environment;
  #ports = {};
  #startedAt = 0;
  #hasListened = false;
  #crashes = 0;
  #restart;

  get isRunning() {
    return isAlive(this.#child);
  }

  /**
   * Ends the previous build in order and runs the new one.
   *
   * @param {NodeJS.ProcessEnv} environment
   */
  async run(environment) {
    await this.stop();
    this.#environment = environment;
    this.#hasListened = false;
    this.#crashes = 0;
    this.#start();
  }

  async stop() {
    clearTimeout(this.#restart);
    const child = this.#child;
    if (!isAlive(child)) return;
    child.removeAllListeners('close');
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }

  #start() {
    this.#startedAt = performance.now();
    const child = startChild([ENTRY], { ...this.#environment, ...this.#ports });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.emit('line', line);
      if (!line.includes('"msg":"listening"')) return;
      this.#hasListened = true;
      const entry = JSON.parse(line);
      this.#ports = { PORT: portOf(entry.url), OPERATIONS_PORT: portOf(entry.operations) };
      this.emit('listening', entry);
    });
    child.once('close', (code, signal) => this.#onEnd(code, signal));
  }

  #onEnd(code, signal) {
    if (!this.#hasListened) {
      this.emit('failed', code ?? 1);
      return;
    }
    if (performance.now() - this.#startedAt > LONGEST_DELAY_MS) this.#crashes = 0;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#crashes, LONGEST_DELAY_MS);
    this.#crashes += 1;
    this.#restart = setTimeout(() => this.#start(), delay);
    this.emit('crashed', signal ?? `exit code ${code}`, delay);
  }
}

/** A URL has no port if it is the one of its scheme. */
function portOf(url) {
  return new URL(url).port || '80';
}
