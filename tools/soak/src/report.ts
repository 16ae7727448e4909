import type { Soak } from './soak.js';

/** What a soak found. */
export function report({ seconds, rounds, totals, usages }: Soak): Record<string, number | string> {
  const ends = usages.filter((_, index) => index === 0 || index === usages.length - 1);
  return {
    Minutes: (seconds / 60).toFixed(1),
    ...Object.fromEntries(Array.from(rounds, ([name, times]) => [`Rounds: ${name}`, times])),
    Kills: totals.kills,
    Acknowledged: totals.acknowledged,
    Lost: totals.lost,
    'Stored, and never sent like that': totals.invented,
    Handled: totals.handled,
    'Handled again, after a fault': totals.handledAgain,
    Parked: totals.parked,
    'Refused with 503': totals.refused,
    'No response': totals.unknown,
    'Memory in MB, first / last': ends.map((usage) => Math.round(usage.memory / 1e6)).join(' / '),
    'Descriptors, first / last': ends.map((usage) => usage.descriptors).join(' / '),
  };
}
