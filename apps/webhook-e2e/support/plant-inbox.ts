import { fileURLToPath } from 'node:url';

import { afterThisTest } from '@plant-store/test-support';

import { TestProcess, type User } from './process.js';
import { everythingOpen } from './receiver.js';

/** The file of the command. */
export const PLANT_INBOX = fileURLToPath(new URL('../../webhook/bin/plant-inbox.js', import.meta.url));

/** What a command has done. */
export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command `plant-inbox`. It ends after the test. */
export function spawnPlantInbox(args: readonly string[], user?: User): TestProcess {
  const options = { environment: everythingOpen, user };
  const command = new TestProcess([process.execPath, PLANT_INBOX, ...args], options);
  afterThisTest(() => command.kill());
  return command;
}

/** Runs the command `plant-inbox` until it ends. */
export async function plantInbox(...args: readonly string[]): Promise<Result> {
  return resultOf(spawnPlantInbox(args));
}

/** Runs it as a user, if the test runs as root. */
export async function plantInboxAs(user: User | undefined, ...args: readonly string[]): Promise<Result> {
  return resultOf(spawnPlantInbox(args, user));
}

/** Waits until a command ends. */
export async function resultOf(command: TestProcess): Promise<Result> {
  const { code } = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

/** Starts a command line on a terminal of its own, which shows on standard output whatever it prints. */
export function onTerminal(commandLine: string, columns: number): TestProcess {
  const command = new TestProcess(
    [
      'script',
      '--quiet',
      '--return',
      '--command',
      `stty cols ${columns} -echo; exec ${commandLine}`,
      '/dev/null',
    ],
    { environment: { PATH: process.env['PATH']!, SHELL: '/bin/sh', ...everythingOpen }, reads: true },
  );
  afterThisTest(() => command.kill());
  return command;
}
