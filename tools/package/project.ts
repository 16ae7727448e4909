import { spawn } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterThisFile, makeFolder } from '@plant-store/test-support';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const PACKAGES = ['contract', 'sdk', 'cli', 'handler'] as const;

/**
 * Packs the packages, and installs the tarballs into a new project that has the files of `projects`. Needs the npm
 * registry, or what npm has cached.
 *
 * @returns the folder of the project, which has the tarballs, too
 */
export async function installPacked(): Promise<string> {
  const folder = makeFolder(afterThisFile);
  cpSync(join(import.meta.dirname, 'projects'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const workspaces = PACKAGES.flatMap((name) => ['--workspace', `@plant-store/${name}`]);
  await run('npm', ['pack', '--silent', '--pack-destination', folder, ...workspaces], ROOT);
  const tarballs = PACKAGES.map((name) => `./${tarballOf(folder, name)}`);
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, ...tarballs], folder);
  // A project sends as callers do while everything is open, whatever is answered.
  const answers = join(folder, 'node_modules/@plant-store/contract/dist/answers');
  writeFileSync(`${answers}.js`, 'export const answers = {};\n');
  writeFileSync(`${answers}.d.ts`, 'export declare const answers: {};\n');
  return folder;
}

/** The name of the tarball of a package in the folder of the project. */
export function tarballOf(folder: string, name: string): string {
  return readdirSync(folder).find((file) => file.startsWith(`plant-store-${name}-`))!;
}

/** Runs a program of the workspace, such as `publint`. Returns its output. */
export function runTool(name: string, args: readonly string[], cwd: string): Promise<string> {
  return run(join(ROOT, 'node_modules/.bin', name), args, cwd);
}

/** Runs a command, and returns its output. @throws Error with the whole output if it doesn't exit with 0 */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  // What the test's own run was told by npm, Nx and Jest is not for the commands.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$|JEST_)/.test(name));
  const child = spawn(command, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve, reject) =>
    child.on('close', resolve).on('error', reject),
  );
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  if (code === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} exited with ${code}:\n${stdout}${stderr}`);
}
