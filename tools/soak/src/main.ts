/**
 * `npm run soak`: sends to built receivers while faults happen, and compares what they stored and handled with what was
 * sent. Exits with 1 if the receiver broke a promise, and keeps its inboxes then. Exits with 2 if it can't run.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';

import { type Fault, faults } from './faults.js';
import { report } from './report.js';
import { Soak } from './soak.js';

const USAGE = `usage: npm run soak -- [--minutes N | --rounds N | --kills N] [--only TEXT] [--postgres]

  --minutes N   ends after so long; 60 by default
  --rounds N    ends after so many faults
  --kills N     ends after so many kills, all of them while an operator works unless --only chooses others
  --only TEXT   only faults with this in their names
  --postgres    the inboxes are on PostgreSQL, which fails too`;

interface Limits {
  readonly minutes: number;
  readonly rounds: number;
  readonly kills: number;
}

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'plant-store-soak-'));
const undos: (() => unknown)[] = [];
try {
  const { limits, only, isShared } = readArguments();
  const chosen = chooseFaults(only, isShared ? 'embedded' : 'shared');
  const programs = isShared ? requirePostgres() : undefined;
  const server =
    programs === undefined ? undefined : await PostgresServer.start({ programs }, (undo) => undos.push(undo));
  process.exitCode = (await run(new Soak(folder, chosen, server), limits)) ? 0 : 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
for (const undo of undos.reverse()) await undo();
if (process.exitCode !== 1) rmSync(folder, { recursive: true });
process.exit();

/** @returns whether the receiver kept its promises */
async function run(soak: Soak, { minutes, rounds, kills }: Limits): Promise<boolean> {
  try {
    await soak.run(() => soak.seconds < minutes * 60 && soak.count < rounds && soak.totals.kills < kills);
    console.log('The receiver kept its promises.');
    return true;
  } catch (error) {
    console.error(error);
    console.error(`The files are in ${folder}: each inbox, and the log of its receivers.`);
    return false;
  } finally {
    console.table(report(soak));
  }
}

/** @throws Error that has the usage */
function readArguments(): { limits: Limits; only: string; isShared: boolean } {
  const text = { type: 'string' } as const;
  const options = { minutes: text, rounds: text, kills: text, only: text } as const;
  const { values } = parseArgs({ options: { ...options, postgres: { type: 'boolean', default: false } } });
  const { rounds, kills, postgres: isShared } = values;
  const isAnHour = rounds === undefined && kills === undefined;
  const limit = (name: keyof Limits, given = values[name] ?? 'Infinity'): number => {
    if (/^([1-9]\d{0,8}|Infinity)$/.test(given)) return Number(given);
    throw new Error(`--${name} must be a whole number from 1 (got ${given})\n${USAGE}`);
  };
  const minutes = limit('minutes', values.minutes ?? (isAnHour ? '60' : undefined));
  const limits = { minutes, rounds: limit('rounds'), kills: limit('kills') };
  return { limits, only: values.only ?? (kills === undefined ? '' : 'operator works'), isShared };
}

/** @throws Error if no fault has `only` in its name and happens to these inboxes */
function chooseFaults(only: string, not: Fault['of']): Fault[] {
  const possible = faults.filter((fault) => fault.of !== not);
  const chosen = possible.filter(({ name }) => name.includes(only));
  if (chosen.length > 0) return chosen;
  const names = possible.map(({ name }) => name).join('\n  ');
  throw new Error(`No fault has "${only}" in its name. The faults:\n  ${names}`);
}
