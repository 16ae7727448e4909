import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether NX_BASE names the revision with which `nx affected` compares. */
export const hasBase = Boolean(process.env['NX_BASE']);

export const root = fileURLToPath(new URL('../..', import.meta.url));

const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const needed = engines.node.replace('>=', '');
if (process.versions.node.localeCompare(needed, 'en', { numeric: true }) < 0) {
  console.error(`This workspace needs Node.js ${needed} or newer (this is ${process.versions.node}).`);
  process.exit(1);
}

/**
 * The environment of each command. Nx runs without its daemon, which may miss that an output was just deleted and then
 * doesn't restore it.
 */
export const environment = {
  ...process.env,
  NX_DAEMON: 'false',
  PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
};

const options = { cwd: root, env: environment };

const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');

/**
 * Runs Nx and shows its output.
 *
 * @param {string[]} args
 * @returns {number} the exit code
 */
export function runNx(...args) {
  return spawnSync(process.execPath, [nx, ...args], { ...options, stdio: 'inherit' }).status ?? 1;
}

/**
 * Runs Nx and parses its output as JSON.
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
