/**
 * `npm run soak`: sends to the built receiver while faults happen, and compares what it stored and handled with what was
 * sent. Exits with 1 if the receiver broke a promise, and keeps its inboxes then.
 *
 * - `--minutes 10`: how long; an hour by default
 * - `--rounds 200`: ends after so many rounds
 * - `--seed 1`: the seed of the faults, as a soak prints it. The same faults come in the same order, but what the machine
 *   does meanwhile is never the same
 * - `--only 'power cut'`: only faults with this in their names
 * - `--power-cuts 10000`: instead, makes so many states that power cuts could leave, and opens each
 * - `--outbox 200`: instead, kills a store, its relays and PostgreSQL so many times, and compares the plants that were
 *   committed with those that the receiver handled
 */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readArguments, type SoakArguments } from './arguments.js';
import { runOutbox } from './outbox/run-outbox.js';
import { runPowerCuts } from './power-cuts/run-power-cuts.js';
import { runSoak } from './run-soak.js';

/** A folder in memory, on Linux. What is flushed there costs nothing. */
const MEMORY = '/dev/shm';

const given = readOrExit();
const folder = mkdtempSync(join(folderFor(given), 'plant-store-soak-'));
const isKept = await run(given);
if (isKept) {
  rmSync(folder, { recursive: true });
  console.log('The receiver kept its promises.');
} else {
  console.log(`The inboxes are in ${folder}. To try again, add --seed ${given.seed}.`);
}
process.exit(isKept ? 0 : 1);

function readOrExit(): SoakArguments {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

function run({ powerCuts, outbox, seed }: SoakArguments): Promise<boolean> {
  if (powerCuts !== undefined) return runPowerCuts(powerCuts, seed, folder);
  if (outbox !== undefined) return runOutbox(outbox, seed, folder);
  return runSoak(given, folder);
}

function folderFor({ powerCuts }: SoakArguments): string {
  return powerCuts !== undefined && existsSync(MEMORY) ? MEMORY : realpathSync(tmpdir());
}
