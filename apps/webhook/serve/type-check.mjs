import { EventEmitter } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

import { startChild } from './child.mjs';

const PROCESS = fileURLToPath(new URL('type-check-process.mjs', import.meta.url));

/**
 * Checks the types of the receiver, the sender and what they import, and again on each change. It also builds their
 * `dist`, from which the commands of the workspace run. Whatever else this machine does goes first.
 *
 * - `line` (text): a type error
 * - `checked` (count): so many type errors were found; their lines came before
 * - `exit`: the compiler has ended, which it doesn't do by itself
 *
 * @param {NodeJS.ProcessEnv} environment
 */
export function startTypeCheck(environment) {
  const events = new EventEmitter();
  const child = startChild([PROCESS], environment);
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);

  child.on('message', ({ line, count }) =>
    line === undefined ? events.emit('checked', count) : events.emit('line', line),
  );
  child.once('exit', () => events.emit('exit'));
  return Object.assign(events, { stop: () => child.kill() });
}
