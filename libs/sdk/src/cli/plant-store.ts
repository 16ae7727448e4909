/** The `plant-store` command: the only file that touches the process. */
import type { Answers } from '@plant-store/contract';
import { exitCodes } from './exit-codes.js';
import { runCommand } from './run-command.js';

/** Carries out the command line of this process under a set of answers, and sets its exit code. */
export async function plantStore(given: Answers): Promise<void> {
  // A reader that went away changes nothing about the delivery; the exit code still tells.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    process.exitCode = await runCommand(process.argv.slice(2), {
      given,
      environment: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      signal: interruption(),
    });
  } catch (error) {
    process.exitCode = exitCodes.unknown;
    console.error('plant-store: this is a fault of the command itself.', error);
  }
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new Error(`Interrupted by ${name}.`)));
  }
  return controller.signal;
}
