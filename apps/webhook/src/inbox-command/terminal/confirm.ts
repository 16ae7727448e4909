import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Whether somebody is there to be asked. */
export const asksPeople = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks a question on the terminal. Anything but `y` or `yes` means no. */
export async function confirm(question: string): Promise<boolean> {
  // The terminal edits the line and turns Ctrl-C into a signal, which ends the process.
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stderr.write(`${question} [y/N] `);
  const answered = new AbortController();
  try {
    const [line] = (await Promise.race([
      once(lines, 'line', { signal: answered.signal }),
      once(lines, 'close', { signal: answered.signal }),
    ])) as [string?];
    return /^y(es)?$/i.test(line?.trim() ?? '');
  } finally {
    answered.abort();
    lines.close();
  }
}
