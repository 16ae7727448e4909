import { compileFlushFaults } from '@plant-store/test-support/flush-faults';
import { PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';

import type { Equipment, Fault } from './faults/fault.js';
import { faultFamilies } from './faults/index.js';
import { Random } from './random.js';
import { Failure } from './receiver.js';
import { duration, report } from './report.js';
import { Soak } from './soak.js';

/** What a soak is asked for. */
export interface SoakRun {
  /** Ends after so many minutes, rounds or kills. */
  readonly minutes: number;
  readonly rounds: number | undefined;
  readonly kills: number | undefined;
  readonly seed: number;
  /** Only faults with this in their names. */
  readonly only: string;
  /** Whether the inboxes are on PostgreSQL. */
  readonly postgres: boolean;
  /** For the inboxes. */
  readonly folder: string;
}

/**
 * Sends to built receivers while faults happen. Prints what was found.
 *
 * @returns whether the receiver kept its promises
 * @throws Error if no fault that can happen has `only` in its name
 */
export async function runSoak(options: SoakRun): Promise<boolean> {
  const { minutes, rounds = Infinity, kills = Infinity, seed, only, postgres, folder } = options;
  const undos: (() => unknown)[] = [];
  const cleanUp = (undo: () => unknown): void => void undos.push(undo);
  const server = postgres ? await PostgresServer.start({ programs: requirePostgres() }, cleanUp) : undefined;
  const equipment: Equipment = { postgres: server, flushFaults: compileFlushFaults(folder) };
  const families = chooseFaults(only, equipment);
  const soak = new Soak({ folder, random: new Random(seed), families, equipment });
  let isInterrupted = false;
  const interrupt = (): void => {
    if (isInterrupted) return;
    isInterrupted = true;
    console.log('Ends after this round. A second signal ends it at once.');
    // npm passes on what the terminal sends to this process, too: that is the same signal.
    setTimeout(() => process.off('SIGINT', interrupt), 1_000).unref();
  };
  process.on('SIGINT', interrupt);
  console.log(`The inboxes are in ${folder}. --seed ${seed} draws the same faults again.`);
  const progress = setInterval(() => printProgress(soak), Math.min(60, minutes * 10) * 1_000);
  let failure: unknown;
  try {
    await soak.run(
      () => !isInterrupted && soak.seconds < minutes * 60 && soak.count < rounds && soak.totals.kills < kills,
    );
  } catch (error) {
    failure = error;
  }
  clearInterval(progress);
  console.log(`\n${report(soak, seed)}\n`);
  if (failure !== undefined)
    console.log(`Failed in round ${soak.count + 1} (${soak.current}): ${describe(failure)}`);
  for (const undo of undos.reverse()) await undo();
  return failure === undefined;
}

function chooseFaults(only: string, equipment: Equipment): Fault[][] {
  const isPossible = ({ canHappen }: Fault): boolean => canHappen?.(equipment) ?? true;
  const possible = faultFamilies.map((family) => family.filter(isPossible));
  const chosen = possible.map((family) => family.filter(({ name }) => name.includes(only)));
  if (chosen.flat().length > 0) return chosen;
  const names = possible.flat().map(({ name }) => name);
  throw new Error(`No fault has "${only}" in its name. The faults:\n  ${names.join('\n  ')}`);
}

function printProgress({ seconds, count, totals, current }: Soak): void {
  const { acknowledged, lost } = totals;
  console.log(
    `${duration(seconds)}: ${count} rounds, ${acknowledged} acknowledged, ${lost} lost; now: ${current}`,
  );
}

function describe(error: unknown): string {
  if (!(error instanceof Failure)) return (error as Error).stack ?? String(error);
  return `${error.message}\n${error.log && `\nThe last lines of the receiver:\n${error.log}\n`}`;
}
