/**
 * `npm run soak`: sends to the built receiver while faults happen, and compares what it stored and handled with what was
 * sent. Exits with 1 if the receiver broke a promise, and keeps its inboxes then. Exits with 2 if it can't run.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Command, InvalidArgumentError } from 'commander';

import { runOutbox } from './outbox/run-outbox.js';
import { runSoak } from './run-soak.js';

interface Values {
  readonly minutes?: number;
  readonly rounds?: number;
  readonly kills?: number;
  readonly seed: number;
  readonly only?: string;
  readonly postgres: boolean;
  readonly outbox?: number;
}

const program = new Command('soak')
  .option('--minutes <count>', 'how long (default: 60)', wholeNumber)
  .option('--rounds <count>', 'end after so many rounds instead', wholeNumber)
  .option(
    '--kills <count>',
    'end after so many kills instead, all of them while an operator works unless --only chooses others',
    wholeNumber,
  )
  .option(
    '--seed <number>',
    'the seed of the faults, as a soak prints it: the same faults come in the same order, but what the machine does meanwhile is never the same',
    wholeNumber,
    randomInt(2 ** 32),
  )
  .option('--only <text>', 'only faults with this in their names, such as "operator works"')
  .option('--postgres', 'the inboxes are on PostgreSQL, which fails too', false)
  .option(
    '--outbox <count>',
    'instead, kill a store, its relays and PostgreSQL so many times, and compare the plants that were committed with those that the receiver handled',
    wholeNumber,
  )
  .showHelpAfterError()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();

try {
  process.exit((await run(program.opts())) ? 0 : 1);
} catch (error) {
  console.error((error as Error).message);
  process.exit(2);
}

/** @throws Error that says what is missing */
async function run({ rounds, kills, outbox, seed, postgres, ...values }: Values): Promise<boolean> {
  const minutes = values.minutes ?? (rounds === undefined && kills === undefined ? 60 : Infinity);
  const only = values.only ?? (kills === undefined ? '' : 'operator works');
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'plant-store-soak-'));
  const isKept =
    outbox === undefined
      ? await runSoak({ minutes, rounds, kills, seed, only, postgres, folder })
      : await runOutbox(outbox, seed, folder);
  if (isKept) rmSync(folder, { recursive: true });
  console.log(isKept ? 'The receiver kept its promises.' : `The files are in ${folder}.`);
  return isKept;
}

function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
