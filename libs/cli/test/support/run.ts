import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { runCommand } from '../../src/command.js';
import type { CommandContext } from '../../src/context.js';

/** A token that no other text in the tests contains. */
export const accessToken = 's3cret-t0ken';

/** The result of a command. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process, with every question open unless the situation says otherwise. */
export async function run(
  args: readonly string[],
  situation: Partial<Omit<CommandContext, 'stdout' | 'stderr'>> = {},
): Promise<Finished> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await runCommand(args, {
    given: {},
    environment: { ACCESS_TOKEN: accessToken },
    stdin: Readable.from([]),
    signal: new AbortController().signal,
    secondSignal: new AbortController().signal,
    ...situation,
    stdout,
    stderr,
  });
  stdout.end();
  stderr.end();
  const finished = { code, stdout: await text(stdout), stderr: await text(stderr) };
  expect(finished.stdout + finished.stderr).not.toContain(accessToken);
  return finished;
}

/** The built command, with every question open. */
export const openCommand = [
  process.execPath,
  fileURLToPath(new URL('../fixtures/open-command.mjs', import.meta.url)),
] as const;

/** A process of the built command that ends with the test. */
export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

/** Starts the built command in a process group of its own, with every question open. */
export function start(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  [program, ...first]: readonly [string, ...string[]] = openCommand,
): Running {
  const child = spawn(program, [...first, ...args], {
    stdio: 'pipe',
    detached: true,
    env: { PATH: process.env['PATH'], ACCESS_TOKEN: accessToken, ...environment },
  });
  afterThisTest(() => child.exitCode ?? child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const finished = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { child, finished };
}

/** A file with a content, in a folder of its own. */
export function file(content: string | Uint8Array): string {
  const path = join(makeFolder(), 'file');
  writeFileSync(path, content);
  return path;
}

/** The options that are required while everything is open. */
export const required = (url: string): string[] => [
  ...['--base-url', url],
  ...['--method', 'POST'],
  ...['--content-type', 'application/json'],
];
