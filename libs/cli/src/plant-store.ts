import { setTimeout as pause } from 'node:timers/promises';
import { systemReason } from '@plant-store/command/system-reason';
import { answerValues, type AnswerValues } from '@plant-store/contract';
import { runCommand } from './command.js';
import { say } from './context.js';

/**
 * Runs the command line of this process under a set of answers, and ends the process. No other file of the package uses the process.
 */
export async function plantStore(given: AnswerValues = answerValues): Promise<void> {
  // Commander reads them, too.
  for (const [name, value] of Object.entries(process.env))
    if (value === '') Reflect.deleteProperty(process.env, name);
  const isDelivery = ['send', 'relay'].includes(process.argv[2]!);
  const output = { isLost: false };
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Nobody has to read a help text or a list to its end.
    if (error.code === 'EPIPE' && !isDelivery) return;
    if (!output.isLost) say(`Standard output can't be written: ${systemReason(error)}.`, process);
    output.isLost = true;
  });
  process.stderr.on('error', () => {});
  const { letEnd, ...signals } = catchInterrupts();
  const code = await runCommand(process.argv.slice(2), {
    given,
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...signals,
  });
  letEnd();
  // A read that blocks, such as one of a named pipe, would keep the process. So would a log that nobody reads.
  const all = [process.stdout, process.stderr].map(
    (stream) => new Promise((written) => stream.write('', written)),
  );
  await Promise.race([Promise.all(all), pause(OUTPUT_PATIENCE)]);
  // What was delivered is what counts, and the code says it.
  process.exit(code || Number(output.isLost && !isDelivery));
}

/** How long the output may take to be read at the end, in milliseconds. */
const OUTPUT_PATIENCE = 1_000;

/**
 * Signals within so many milliseconds of one that counted are the same interrupt. A terminal signals the whole group of
 * processes, and npx, which is one of them, passes on what it gets.
 */
const SAME_INTERRUPT = 1_000;

/** Catches two interrupts. A further one ends the process, as does each after `letEnd`. */
function catchInterrupts() {
  const [first, second] = [new AbortController(), new AbortController()];
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let left = [first, second];
  let isSame = false;
  const update = (): void => {
    if (left.length === 0 && !isSame) names.forEach((name) => process.off(name, interrupt));
  };
  const endSame = (): void => {
    isSame = false;
    update();
  };
  const interrupt = (name: string): void => {
    if (isSame) return;
    isSame = true;
    // Signals that came while the process was busy are handled before an immediate.
    setTimeout(() => setImmediate(endSame), SAME_INTERRUPT).unref();
    left.shift()?.abort(new Error(`Interrupted by ${name}.`));
  };
  const letEnd = (): void => {
    left = [];
    update();
  };
  for (const name of names) process.on(name, interrupt);
  return { signal: first.signal, secondSignal: second.signal, letEnd };
}
