import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Without the daemon, which may not have seen yet that an output was just deleted, and wouldn't restore it. */
const options = { cwd: root, env: { ...process.env, NX_DAEMON: 'false' } };

const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');

/**
 * Runs Nx and shows what it prints.
 *
 * @param {string[]} args
 * @returns {number} its exit code
 */
export function runNx(...args) {
  return spawnSync(process.execPath, [nx, ...args], { ...options, stdio: 'inherit' }).status ?? 1;
}

/**
 * What Nx answers in JSON.
 *
 * @param {string[]} args
 * @returns {any}
 */
export function askNx(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [nx, ...args], {
    ...options,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`nx ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return JSON.parse(stdout);
}
