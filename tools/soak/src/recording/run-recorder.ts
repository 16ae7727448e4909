import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const RECORDER = fileURLToPath(new URL('../../dist/recording/recorder.js', import.meta.url));

/** The descriptor for the notes of a recorder, and for the reports of disk-journal.c. */
export const JOURNAL = 3;

/** How a recorder uses the inbox. */
export interface RecorderArguments {
  readonly folder: string;
  readonly seed: number;
  /** The number of its first delivery. */
  readonly first: number;
  readonly turns: number;
  readonly end: 'close' | 'kill';
  /** Plants a fault: a delivery counts as acknowledged when it is passed to the inbox. */
  readonly acknowledgesEarly: boolean;
}

/**
 * Lets a process use an inbox.
 *
 * @param journal the file that its notes are written to
 * @param environment what disk-journal.c needs to report writes
 */
export async function runRecorder(
  given: RecorderArguments,
  journal: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const descriptor = openSync(journal, 'w');
  const child = spawn(process.execPath, [RECORDER, JSON.stringify(given)], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', descriptor],
  });
  closeSync(descriptor);
  const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)));
  if (signal !== 'SIGKILL') throw new Error('The recorder failed.');
}
