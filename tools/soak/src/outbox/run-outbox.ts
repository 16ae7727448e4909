import { Random } from '../random.js';
import { duration, table, thousands } from '../report.js';
import { type KillLoopResult, runKillLoop } from './kill-loop.js';

/**
 * Kills the store, relays and PostgreSQL of an outbox so many times. Prints what was found.
 *
 * @param folder for the files
 * @returns whether exactly the committed plants were handled
 */
export async function runOutbox(rounds: number, seed: number, folder: string): Promise<boolean> {
  console.log(`${thousands(rounds)} kills of a store, its relays and PostgreSQL, --seed ${seed}.`);
  const began = performance.now();
  const cleanUps: (() => unknown)[] = [];
  const cleanUp = (undo: () => unknown): void => void cleanUps.push(undo);
  try {
    const result = await runKillLoop({ rounds, folder, random: new Random(seed), cleanUp });
    console.log(`\n${reportOf(result, seed, (performance.now() - began) / 1_000)}\n`);
    return result.lost === 0 && result.invented === 0 && result.handled === result.committed;
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
}

function reportOf({ kills, ...result }: KillLoopResult, seed: number, seconds: number): string {
  return table(
    ['Outbox', 'Result'],
    [
      ['Duration', `${duration(seconds)}, seed ${seed}`],
      ...Object.entries(kills).map(([victim, count]) => [`Kills of ${victim}`, thousands(count)]),
      ['Plants that the store committed', thousands(result.committed)],
      ['Plants that the receiver handled', thousands(result.handled)],
      ['– handled more than once', thousands(result.handlings - result.handled)],
      ['Committed, and not handled', thousands(result.lost)],
      ['Handled, and not committed', thousands(result.invented)],
    ],
  );
}
