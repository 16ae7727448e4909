import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the workspace. */
export const WORKSPACE = fileURLToPath(new URL('../../../', import.meta.url));

/** The built command line. */
export const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command line. */
export function runCli(args: readonly string[], cwd = WORKSPACE): Ended {
  return run([CLI, ...args], cwd);
}

/** Runs a program of Node. One that hangs, or grows without end, is killed: its code is null. @param more variables */
export function run(args: readonly string[], cwd = WORKSPACE, more: NodeJS.ProcessEnv = {}): Ended {
  const env = { ...process.env, NODE_OPTIONS: '', REDOCLY_TELEMETRY: 'off', ...more };
  const options = { cwd, env, encoding: 'utf8', timeout: 60_000, maxBuffer: 2 ** 26 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { code: status, out: stdout, err: stderr };
}

/** Makes a folder with these files for the time of `use`. */
export function inFolder<Result>(
  files: Readonly<Record<string, string | Buffer>>,
  use: (folder: string) => Result,
): Result {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
