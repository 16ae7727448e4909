/**
 * `npm run soak`: sends to the built receiver while faults happen, and compares what it stored and handled with what was
 * sent. Exits with 1 if the receiver broke a promise, and keeps its inboxes then. Exits with 2 if it can't run.
 *
 * - `--minutes 10`: how long; an hour by default
 * - `--rounds 200`: ends after so many rounds instead
 * - `--kills 200`: ends after so many kills instead, all of them while an operator works unless `--only` chooses others
 * - `--seed 1`: the seed of the faults, as a soak prints it. The same faults come in the same order, but what the machine
 *   does meanwhile is never the same
 * - `--only 'operator works'`: only faults with this in their names
 * - `--postgres`: the inboxes are on PostgreSQL, which fails too
 * - `--outbox 200`: instead, kills a store, its relays and PostgreSQL so many times, and compares the plants that were
 *   committed with those that the receiver handled
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runOutbox } from './outbox/run-outbox.js';
import { runSoak } from './run-soak.js';

try {
  process.exit((await run(process.argv.slice(2))) ? 0 : 1);
} catch (error) {
  console.error((error as Error).message);
  process.exit(2);
}

/** @throws Error that says what is wrong with the arguments, or what is missing */
async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const postgres = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args,
    options: { minutes: text, rounds: text, kills: text, seed: text, only: text, outbox: text, postgres },
  });
  const rounds = wholeNumber('rounds', values.rounds);
  const outbox = wholeNumber('outbox', values.outbox);
  const kills = wholeNumber('kills', values.kills);
  const minutes =
    wholeNumber('minutes', values.minutes) ?? (rounds === undefined && kills === undefined ? 60 : Infinity);
  const only = values.only ?? (kills === undefined ? '' : 'operator works');
  const seed = wholeNumber('seed', values.seed) ?? randomInt(2 ** 32);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'plant-store-soak-'));
  const isKept =
    outbox === undefined
      ? await runSoak({ ...values, minutes, rounds, kills, seed, only, folder })
      : await runOutbox(outbox, seed, folder);
  if (isKept) rmSync(folder, { recursive: true });
  console.log(isKept ? 'The receiver kept its promises.' : `The files are in ${folder}.`);
  return isKept;
}

function wholeNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,10}$/.test(value)) return Number(value);
  throw new Error(`--${option} must be a whole number (got ${value}).`);
}
