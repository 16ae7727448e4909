import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';

import { startChild } from './child.mjs';

const ARGUMENTS = [
  'node_modules/typescript/bin/tsc',
  ...['--build', '--watch', '--preserveWatchOutput', '--pretty', 'false'],
  // Without it, tsc looks at the folder of a replaced file a second later, and compiles again (on Linux).
  '--synchronousWatchDirectory',
  ...['apps/webhook/tsconfig.build.json', 'libs/sdk/tsconfig.build.json'],
];

/** What tsc says about its own progress begins with the time of day. */
const STATUS = /^\d{1,2}:\d{2}:\d{2} [AP]M - (.*)$/;

/**
 * Compiles the receiver, the sender and what they import, and again on each change.
 *
 * - `change`: a source has changed, and is being compiled
 * - `compiled` (seconds): everything is compiled
 * - `line` (text): a type error
 * - `failed` (count): there were this many; their lines came before
 * - `exit`: the compiler has ended, which it doesn't do by itself
 *
 * @param {NodeJS.ProcessEnv} environment
 */
export function startCompiler(environment) {
  const events = new EventEmitter();
  const child = startChild(ARGUMENTS, environment);
  let since = performance.now();

  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, status] = STATUS.exec(line) ?? [];
    if (status === undefined) {
      if (line !== '') events.emit('line', line);
    } else if (status.startsWith('File change detected')) {
      since = performance.now();
      events.emit('change');
    } else {
      const [, count] = /^Found (\d+) errors?/.exec(status) ?? [];
      if (count === '0') events.emit('compiled', (performance.now() - since) / 1_000);
      else if (count !== undefined) events.emit('failed', Number(count));
    }
  });
  child.once('exit', () => events.emit('exit'));
  return Object.assign(events, { stop: () => child.kill() });
}
