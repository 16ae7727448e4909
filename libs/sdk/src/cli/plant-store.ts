import { type Accepts, accepts as acceptedNow, answers, type Answers } from '@plant-store/contract';
import { runCommand } from './command.js';
import type { CommandContext } from './command-line/command.js';

/**
 * Runs the command line of this process under a set of answers, with what is accepted beside them, and sets its exit
 * code. No other file of the package uses the process.
 */
export async function plantStore(given: Answers = answers, accepts: Accepts = acceptedNow): Promise<void> {
  // A closed output changes nothing about the delivery; the exit code reports it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const { letEnd, ...interrupts } = catchInterrupts();
  try {
    process.exitCode = await runCommand(process.argv.slice(2), {
      given,
      accepts,
      environment: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      ...interrupts,
    });
  } finally {
    // Something that can't be interrupted, such as a read that blocks, may still keep the process.
    letEnd();
  }
}

interface Interrupts extends Pick<CommandContext, 'signal' | 'catchSecondInterrupt'> {
  /** From now on, an interrupt ends the process, as it does without a handler. */
  readonly letEnd: () => void;
}

/** Catches the first interrupt, and the second one if the command asks for it. The next one ends the process. */
function catchInterrupts(): Interrupts {
  const [first, second] = [new AbortController(), new AbortController()];
  const names = ['SIGINT', 'SIGTERM'] as const;
  let catchesSecond = false;
  const interrupt = (name: string): void => {
    const controller = first.signal.aborted ? second : first;
    if (controller === second || !catchesSecond) letEnd();
    controller.abort(new Error(`Interrupted by ${name}.`));
  };
  const letEnd = (): void => names.forEach((name) => process.off(name, interrupt));
  for (const name of names) process.on(name, interrupt);
  const catchSecondInterrupt = (): AbortSignal => {
    catchesSecond = true;
    return second.signal;
  };
  return { signal: first.signal, catchSecondInterrupt, letEnd };
}
