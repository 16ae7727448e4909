import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterThisTest } from '@plant-store/test-support';

/** The result of a process. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that ends with the test. */
export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

/** Starts a process with its streams piped. Its environment is the given one, and the path. */
export function startProcess(
  command: string,
  args: readonly string[],
  { env, ...options }: SpawnOptions = {},
): Running {
  const child = spawn(command, args, {
    ...options,
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
  });
  afterThisTest(() => child.exitCode ?? child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const finished = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { child, finished };
}
