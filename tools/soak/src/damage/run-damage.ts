import { duration, table, thousands } from '../report.js';
import { damageInboxes, type DamageResult } from './damage-inboxes.js';

/** Most faults that are listed. */
const MAX_FAULTS = 10;

/**
 * Damages inboxes, and looks for each of their deliveries. Prints what was found.
 *
 * @param folder for the files
 * @returns whether nothing was skipped silently
 */
export async function runDamage(inboxes: number, seed: number, folder: string): Promise<boolean> {
  console.log(`${thousands(inboxes)} damaged inboxes, --seed ${seed}.`);
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  let shown = began;
  const onInbox = (result: DamageResult): void => {
    if (performance.now() - shown < 10_000) return;
    shown = performance.now();
    console.log(
      `${Math.round(seconds())} s: ${thousands(result.inboxes)} inboxes, ${result.faults.length} with faults`,
    );
  };
  const result = await damageInboxes({ folder, inboxes, seed, onInbox });
  console.log(`\n${reportOf(result, seed, seconds())}\n`);
  for (const fault of result.faults.slice(0, MAX_FAULTS)) console.log(fault);
  return result.faults.length === 0;
}

function reportOf(result: DamageResult, seed: number, seconds: number): string {
  return table(
    ['Damage', 'Result'],
    [
      ['Duration', `${duration(seconds)}, seed ${seed}`],
      ['Damaged inboxes', thousands(result.inboxes)],
      ['– opened', thousands(result.opened)],
      ['– refused, and salvaged', thousands(result.refused)],
      ['Deliveries in them', thousands(result.deliveries)],
      ['– whole', thousands(result.whole)],
      ['– parked or reported, because they cannot be read', thousands(result.reported)],
      ['– with other bytes, which is not noticed', thousands(result.changed)],
      ['– handled before, and no longer listed', thousands(result.unlisted)],
      ['– skipped silently', thousands(result.silent)],
      ['Inboxes that end the process, or skip silently', thousands(result.faults.length)],
    ],
  );
}
