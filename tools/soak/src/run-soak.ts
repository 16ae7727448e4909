import type { SoakArguments } from './arguments.js';
import { compileDiskJournal } from './disk-journal.js';
import { Failure } from './failure.js';
import type { Fault } from './faults/fault.js';
import { faultFamilies } from './faults/index.js';
import { Random } from './random.js';
import { report } from './report.js';
import { Soak } from './soak.js';

/**
 * Sends to built receivers while faults happen. Prints what was found.
 *
 * @param folder for the inboxes
 * @returns whether the receiver kept its promises
 */
export async function runSoak(
  { minutes, rounds, seed, only }: SoakArguments,
  folder: string,
): Promise<boolean> {
  const diskJournal = compileDiskJournal(folder);
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
  const length = rounds === undefined ? `${minutes} minutes` : `${rounds} rounds`;
  console.log(
    `Soak of ${length.replace(/^(1 .*)s$/, '$1')} in ${folder}. --seed ${seed} draws the same faults again.`,
  );
  const progress = setInterval(() => printProgress(soak), Math.min(60, minutes * 10) * 1_000);
  let failure: unknown;
  try {
    await soak.run(() => !isInterrupted && soak.seconds < minutes * 60 && soak.count < (rounds ?? Infinity));
  } catch (error) {
    failure = error;
  }
  clearInterval(progress);
  console.log(`\n${report(soak, seed, diskJournal !== undefined)}\n`);
  if (failure !== undefined)
    console.log(`Failed in round ${soak.count + 1} (${soak.current}): ${describe(failure)}`);
  return failure === undefined;
}

function printProgress(soak: Soak): void {
  const seconds = Math.round(soak.seconds);
  console.log(
    `${seconds} s: ${soak.count} rounds, ${soak.totals.acknowledged} acknowledged, ${soak.totals.lost} lost; now: ${soak.current}`,
  );
}

function describe(error: unknown): string {
  if (!(error instanceof Failure)) return (error as Error).stack ?? String(error);
  return `${error.message}\n${error.log === '' ? '' : `\nThe last lines of the receiver:\n${error.log}\n`}`;
}
