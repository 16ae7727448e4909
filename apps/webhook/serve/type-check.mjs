import { EventEmitter } from 'node:events';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';

import { startChild } from './child.mjs';

const ARGUMENTS = [
  'node_modules/typescript/bin/tsc',
  ...['--build', '--watch', '--preserveWatchOutput', '--pretty', 'false'],
  // Without it, tsc looks at the folder of a replaced file a second later, and compiles again (on Linux).
  '--synchronousWatchDirectory',
  ...['apps/webhook/tsconfig.build.json', 'libs/cli/tsconfig.build.json'],
];

/** What tsc says about its own progress begins with the time of day. */
const STATUS = /^\d{1,2}:\d{2}:\d{2} [AP]M - (.*)$/;

/**
 * Checks the types of the receiver, the sender and what they import, and again on each change. It also builds their
 * `dist`, from which the commands of the workspace run. Whatever else this machine does goes first.
 *
 * - `line` (text): a type error
 * - `checked` (count): so many type errors were found; their lines came before
 * - `exit`: tsc has ended, which it doesn't do by itself
 *
 * @param {NodeJS.ProcessEnv} environment
 */
export function startTypeCheck(environment) {
  const events = new EventEmitter();
  const child = startChild(ARGUMENTS, environment);
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);

  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, status] = STATUS.exec(line) ?? [];
    const [, count] = /^Found (\d+) errors?/.exec(status ?? '') ?? [];
    if (count !== undefined) events.emit('checked', Number(count));
    else if (status === undefined && line !== '') events.emit('line', line);
  });
  child.once('exit', () => events.emit('exit'));
  return Object.assign(events, { stop: () => child.kill() });
}
