import type { Command, Given } from './command-line.js';
import { openOperations } from './connection/open-operations.js';
import { standardOutput } from './terminal/output.js';

export const pause: Command = {
  operands: '',
  summary: 'Starts no further attempt of the handler, until resume.',
  details: `That holds after a restart, too. Attempts that run go on. Deliveries are still
accepted. On PostgreSQL, receivers notice it within a second.`,
  options: [],
  run: (given) => setPaused(given, true, 'The handler is paused. Deliveries are still accepted.'),
};

export const resume: Command = {
  operands: '',
  summary: 'Lets the handler go on after pause.',
  details: '',
  options: [],
  run: (given) => setPaused(given, false, 'The handler gets deliveries.'),
};

async function setPaused({ inbox }: Given, isPaused: boolean, done: string): Promise<0> {
  const { operations, close } = await openOperations(inbox);
  try {
    await operations.setPaused(isPaused);
    await standardOutput.write(`${done}\n`);
    return 0;
  } finally {
    await close();
  }
}
