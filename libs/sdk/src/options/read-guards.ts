import { Fault } from './fault.js';
import { guardDefaults } from './guard-defaults.js';

/** The longest span that a timer of Node can have, in milliseconds. */
export const longestTimer = 2 ** 31 - 1;

/** Reads a time-out in milliseconds, or takes its default. */
export function readTimeout(
  name: 'connectTimeout' | 'attemptTimeout' | 'totalTimeout',
  option: unknown,
  standard: number = guardDefaults[name],
): number {
  return readInteger(name, option === undefined ? standard : option, 1, longestTimer, ' of milliseconds');
}

/** Reads a count. */
export function readCount(
  name: 'maxAnswerBytes' | 'maxConnections',
  least: number,
  option: unknown = guardDefaults[name],
): number {
  return readInteger(name, option, least, Number.MAX_SAFE_INTEGER, '');
}

/** Reads a switch. */
export function readSwitch(name: 'allowInsecureTransport', option: unknown = guardDefaults[name]): boolean {
  if (typeof option !== 'boolean') throw new Fault(name, 'must be true or false.');
  return option;
}

function readInteger(name: string, value: unknown, least: number, most: number, unit: string): number {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw new Fault(name, `must be a whole number${unit} from ${least} to ${most}.`);
}
