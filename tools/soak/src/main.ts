/**
 * `npm run soak`: sends to the built receiver while faults happen, and compares what it stored and handled with what was
 * sent. Exits with 1 if the receiver broke a promise, and keeps its inboxes then.
 *
 * - `--minutes 10`: how long; an hour by default
 * - `--seed 1`: the seed of the faults, as a soak prints it. The same faults come in the same order, but what the machine
 *   does meanwhile is never the same
 * - `--only 'power cut'`: only faults with this in their names
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Failure } from './failure.js';
import type { Fault } from './faults/fault.js';
import { faultFamilies } from './faults/index.js';
import { Random } from './random.js';
import { report } from './report.js';
import { Soak } from './soak.js';

const DISK_JOURNAL = fileURLToPath(new URL('../preload/disk-journal.c', import.meta.url));

const { minutes, seed, only } = readArguments();
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'plant-store-soak-'));
const diskJournal = compileDiskJournal();
const happens = ({ name, cutsPower }: Fault): boolean =>
  name.includes(only) && (!cutsPower || diskJournal !== undefined);
const families = faultFamilies.map((family) => family.filter(happens));
const soak = new Soak({ folder, random: new Random(seed), families, diskJournal });
let isInterrupted = false;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isInterrupted) process.exit(130);
    isInterrupted = true;
    console.log('Ends after this round. A second signal ends it at once.');
  });
}

const duration = minutes === 1 ? '1 minute' : `${minutes} minutes`;
console.log(`Soak of ${duration} in ${folder}. --seed ${seed} draws the same faults again.`);
const progress = setInterval(printProgress, Math.min(60, minutes * 10) * 1_000);
let failure: unknown;
try {
  await soak.run(() => !isInterrupted && soak.seconds < minutes * 60);
} catch (error) {
  failure = error;
}
clearInterval(progress);

console.log(`\n${report(soak, seed, diskJournal !== undefined)}\n`);
if (failure === undefined) {
  rmSync(folder, { recursive: true });
  console.log('The receiver kept its promises.');
} else {
  console.log(`Failed in round ${soak.count + 1} (${soak.current}): ${describe(failure)}`);
  console.log(
    `The inboxes are in ${folder}. To try again: npm run soak -- --minutes ${minutes} --seed ${seed}`,
  );
}
process.exit(failure === undefined ? 0 : 1);

/** Ends the process if they are wrong. */
function readArguments(): { minutes: number; seed: number; only: string } {
  try {
    const { values } = parseArgs({
      options: { minutes: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
    });
    const { minutes = '60', seed = String(randomInt(2 ** 32)), only = '' } = values;
    if (!(Number(minutes) > 0)) throw new Error(`--minutes must be a number above 0 (got ${minutes}).`);
    if (!/^\d{1,10}$/.test(seed))
      throw new Error(`--seed must be a whole number as a soak prints it (got ${seed}).`);
    const names = faultFamilies.flat().map(({ name }) => name);
    if (!names.some((name) => name.includes(only)))
      throw new Error(`No fault has "${only}" in its name. The faults:\n  ${names.join('\n  ')}`);
    return { minutes: Number(minutes), seed: Number(seed), only };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

function printProgress(): void {
  const seconds = Math.round(soak.seconds);
  console.log(
    `${seconds} s: ${soak.count} rounds, ${soak.totals.acknowledged} acknowledged, ${soak.totals.lost} lost; now: ${soak.current}`,
  );
}

/** Undefined if there is no C compiler, or no LD_PRELOAD. */
function compileDiskJournal(): string | undefined {
  if (platform() !== 'linux') return undefined;
  const library = join(folder, 'disk-journal.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, DISK_JOURNAL, '-ldl'], { stdio: 'pipe' });
    return library;
  } catch {
    return undefined;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Failure)) return (error as Error).stack ?? String(error);
  return `${error.message}\n${error.log === '' ? '' : `\nThe last lines of the receiver:\n${error.log}\n`}`;
}
