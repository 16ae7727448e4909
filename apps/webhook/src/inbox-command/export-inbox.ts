import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

import { requireUnused } from '../inbox/open-database.js';
import { type IdRange, salvage, type SalvagedState } from '../inbox/salvage/salvage.js';
import { type CommandArguments, CommandError } from './command.js';

const STANDARD_OUTPUT = 1;

/** Most ranges of ids that are listed. */
const MAX_RANGES = 20;

/** Writes what can be read from an inbox. Returns 1 if deliveries are missing that weren't handled, or else 0. */
export function exportInbox({ folder, file }: CommandArguments): number {
  requireUnused(folder);
  const salvaged = salvage(folder);
  if (salvaged === undefined)
    throw new CommandError(`${folder} has no inbox: neither inbox.sqlite nor inbox.sqlite-wal is there`, 1);
  const output = file === undefined ? STANDARD_OUTPUT : openSync(file, 'wx');
  const counts: Record<SalvagedState, number> = {
    handled: 0,
    waiting: 0,
    parked: 0,
    discarded: 0,
    unknown: 0,
  };
  try {
    for (const delivery of salvaged.deliveries) {
      write(output, `${JSON.stringify(delivery)}\n`);
      counts[delivery.state] += 1;
    }
    if (file !== undefined) fsyncSync(output);
  } finally {
    salvaged.close();
    if (file !== undefined) closeSync(output);
  }
  const { handled, unhandled } = salvaged.missing();
  report(`deliveries exported: ${sum(Object.values(counts))} (${list(counts)})`);
  if (handled > 0) report(`handled deliveries that were deleted or can't be read: ${handled}`);
  if (unhandled.length === 0) return 0;
  const count = sum(unhandled.map(([first, last]) => last - first + 1));
  report(`other deliveries that can't be read: ${count} (${ids(unhandled)})`);
  return 1;
}

function write(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}

const report = (line: string): void => void process.stderr.write(`${line}.\n`);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

function ids(ranges: readonly IdRange[]): string {
  const shown = ranges
    .slice(0, MAX_RANGES)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  return [...shown, ...(ranges.length > MAX_RANGES ? ['and more'] : [])].join(', ');
}
