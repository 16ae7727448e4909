import { compileDiskJournal } from '../disk-journal.js';
import { duration, table, thousands } from '../report.js';
import { cutPower, type PowerCutResult } from './power-cuts.js';

/**
 * Makes states that power cuts could leave, and opens each. Prints what was found.
 *
 * @param folder for the files
 * @returns whether the inbox kept its promises
 */
export async function runPowerCuts(states: number, seed: number, folder: string): Promise<boolean> {
  const diskJournal = compileDiskJournal(folder);
  if (diskJournal === undefined) {
    console.log('Power cuts need Linux and a C compiler (cc).');
    return false;
  }
  console.log(`${thousands(states)} states after power cuts, --seed ${seed}.`);
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  let shown = began;
  const onState = (result: PowerCutResult): void => {
    if (performance.now() - shown < 10_000) return;
    shown = performance.now();
    console.log(`${Math.round(seconds())} s: ${thousands(result.states)} states, ${result.broken} broken`);
  };
  const result = await cutPower({ folder, diskJournal, states, seed, onState });
  console.log(`\n${reportOf(result, seed, seconds())}\n`);
  if (result.first !== undefined)
    console.log(`The first state that breaks a promise, in ${folder}/broken:\n${result.first}\n`);
  return result.broken === 0;
}

function reportOf(result: PowerCutResult, seed: number, seconds: number): string {
  const ways = Array.from(result.ways).sort(([one], [other]) => one.localeCompare(other));
  return table(
    ['Power cuts', 'Result'],
    [
      ['Duration', `${duration(seconds)}, seed ${seed}`],
      ['States', thousands(result.states)],
      ...ways.map(([name, states]) => [`– ${name}`, thousands(states)]),
      ['Deliveries that were acknowledged, in all states', thousands(result.acknowledged)],
      ['Lost', thousands(result.lost)],
      ['States that break a promise', thousands(result.broken)],
    ],
  );
}
