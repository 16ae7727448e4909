import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { faultFamilies } from './faults/index.js';

/** What the soak is asked for. */
export interface SoakArguments {
  readonly seed: number;
  /** Ends after so many minutes. */
  readonly minutes: number;
  /** Ends after so many rounds, whatever the minutes. Undefined for no limit. */
  readonly rounds: number | undefined;
  /** Only faults with this in their names. */
  readonly only: string;
  /** Makes so many states of power cuts instead. */
  readonly powerCuts: number | undefined;
  /** Kills the processes of an outbox so many times instead. */
  readonly outbox: number | undefined;
}

/**
 * Reads the arguments of `npm run soak`.
 *
 * @throws Error that says what is wrong
 */
export function readArguments(args: readonly string[]): SoakArguments {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ minutes: text, rounds: text, seed: text, only: text },
      ...{ 'power-cuts': text, outbox: text },
    },
  });
  const { minutes, rounds, seed = String(randomInt(2 ** 32)), only = '' } = values;
  if (minutes !== undefined && !(Number(minutes) > 0))
    throw new Error(`--minutes must be a number above 0 (got ${minutes}).`);
  if (!/^\d{1,10}$/.test(seed))
    throw new Error(`--seed must be a whole number as a soak prints it (got ${seed}).`);
  const names = faultFamilies.flat().map(({ name }) => name);
  if (!names.some((name) => name.includes(only)))
    throw new Error(`No fault has "${only}" in its name. The faults:\n  ${names.join('\n  ')}`);
  return {
    seed: Number(seed),
    minutes: Number(minutes ?? (rounds === undefined ? 60 : Infinity)),
    rounds: count('rounds', rounds),
    only,
    powerCuts: count('power-cuts', values['power-cuts']),
    outbox: count('outbox', values.outbox),
  };
}

function count(option: string, value: string | undefined): number | undefined {
  if (value === undefined || /^[1-9]\d{0,6}$/.test(value)) return value === undefined ? value : Number(value);
  throw new Error(`--${option} must be a whole number from 1 to 9999999 (got ${value}).`);
}
