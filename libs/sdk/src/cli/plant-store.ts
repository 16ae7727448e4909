import { type Accepts, accepts as acceptedNow, answers, type Answers } from '@plant-store/contract';
import { runCommand } from './command.js';
import { exitCodes } from './exit-codes.js';

/**
 * Runs the command line of this process under a set of answers, with what is accepted beside them, and sets its exit code. No other file of the package
 * uses the process.
 */
export async function plantStore(given: Answers = answers, accepts: Accepts = acceptedNow): Promise<void> {
  // A closed output changes nothing about the delivery; the exit code reports it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    process.exitCode = await runCommand(process.argv.slice(2), {
      given,
      accepts,
      environment: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      signal: interruption(),
    });
  } catch (error) {
    process.exitCode = exitCodes.unknown;
    console.error('plant-store: internal error. Please report it with this stack:', error);
  }
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new Error(`Interrupted by ${name}.`)));
  }
  return controller.signal;
}
