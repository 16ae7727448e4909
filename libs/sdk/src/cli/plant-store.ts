import { type Accepts, accepts as acceptedNow, answers, type Answers } from '@plant-store/contract';
import { runCommand } from './command.js';
import type { CommandContext } from './command-line/command.js';
import { exitCodes } from './command-line/exit-codes.js';

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
      ...interrupts(),
    });
  } catch (error) {
    process.exitCode = exitCodes.unknown;
    console.error('plant-store: internal error. Please report it with this stack:', error);
  }
}

/** The signals of the first and the second interrupt. A third one ends the process, as it does without a handler. */
function interrupts(): Pick<CommandContext, 'signal' | 'secondSignal'> {
  const [first, second] = [new AbortController(), new AbortController()];
  const names = ['SIGINT', 'SIGTERM'] as const;
  const interrupt = (name: string): void => {
    const controller = first.signal.aborted ? second : first;
    controller.abort(new Error(`Interrupted by ${name}.`));
    if (controller === second) for (const each of names) process.off(each, interrupt);
  };
  for (const name of names) process.on(name, interrupt);
  return { signal: first.signal, secondSignal: second.signal };
}
