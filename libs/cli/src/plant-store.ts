import { accepts as acceptedNow, type Accepts, answers, type Answers } from '@plant-store/contract';
import { runCommand } from './command.js';
import { type CommandContext, say } from './context.js';
import { reasonOf } from './input.js';

/**
 * Runs the command line of this process under a set of answers, with what is accepted beside them, and ends the
 * process. No other file of the package uses the process.
 */
export async function plantStore(given: Answers = answers, accepts: Accepts = acceptedNow): Promise<void> {
  let isOutputLost = false;
  process.stdout.on('error', (error) => {
    if (!isOutputLost) say(`Standard output can't be written: ${reasonOf(error)}.`, process);
    isOutputLost = true;
  });
  process.stderr.on('error', () => {});
  const { letEnd, ...signals } = catchInterrupts();
  const code = await runCommand(process.argv.slice(2), {
    given,
    accepts,
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...signals,
  });
  letEnd();
  // A read that blocks, such as one of a named pipe, would keep the process.
  for (const stream of [process.stdout, process.stderr])
    await new Promise((written) => stream.write('', written));
  // What was delivered is what counts, and the code says it.
  const isDelivery = ['send', 'relay'].includes(process.argv[2]!);
  process.exit(isOutputLost && !isDelivery ? 1 : code);
}

interface Interrupts extends Pick<CommandContext, 'signal' | 'secondSignal'> {
  /** From now on, an interrupt ends the process, as it does without a handler. */
  readonly letEnd: () => void;
}

/**
 * Signals within so many milliseconds of one that counted are the same interrupt. A terminal signals the whole group of
 * processes, and npx, which is one of them, passes on what it gets.
 */
const SAME_INTERRUPT = 1_000;

/** Catches two interrupts. The third one ends the process. */
function catchInterrupts(): Interrupts {
  const [first, second] = [new AbortController(), new AbortController()];
  const names = ['SIGINT', 'SIGTERM'] as const;
  let isSame = false;
  let isOver = false;
  const update = (): void => {
    if (isOver && !isSame) names.forEach((name) => process.off(name, interrupt));
  };
  const interrupt = (name: string): void => {
    if (isSame) return;
    isSame = true;
    const controller = first.signal.aborted ? second : first;
    isOver ||= controller === second;
    controller.abort(new Error(`Interrupted by ${name}.`));
    const end = (): void => {
      isSame = false;
      update();
    };
    // Signals that came while the process was busy are handled before an immediate.
    setTimeout(() => setImmediate(end), SAME_INTERRUPT).unref();
  };
  const letEnd = (): void => {
    isOver = true;
    update();
  };
  for (const name of names) process.on(name, interrupt);
  return { signal: first.signal, secondSignal: second.signal, letEnd };
}
