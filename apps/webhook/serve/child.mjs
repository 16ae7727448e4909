import { spawn } from 'node:child_process';

const END_WITH_PARENT = new URL('end-with-parent.mjs', import.meta.url).href;

/** Source maps show the lines that the team wrote. A larger young generation makes the receiver faster. */
const OPTIONS = ['--enable-source-maps', '--max-semi-space-size=64', '--import', END_WITH_PARENT];

/**
 * Starts a Node.js process. It ends when this process ends, even if this one is killed. It has a process group of its
 * own, so that Ctrl+C in a terminal reaches only this process, which then ends the others in order.
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} environment
 */
export function startChild(args, environment) {
  return spawn(process.execPath, [...OPTIONS, ...args], {
    env: environment,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** Whether a process was started and has not ended. */
export function isAlive(child) {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}
