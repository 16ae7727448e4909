import { DELIVERY_STATES, type DeliveryFilter, type DeliveryState } from '../inbox/inbox-operations.js';
import { parseIsoTime } from '../operations/parameters.js';
import { type Given, type OptionName, wrongUsage } from './command-line.js';

/** The options that choose deliveries. */
export const FILTERS = ['state', 'since', 'before', 'id'] as const satisfies readonly OptionName[];

/** What the values of these options look like, for help texts. */
export const ABOUT_TIMES = `TIME is ISO 8601, such as 2026-11-22 or 2026-11-22T09:30+01:00 (UTC without an
offset), or a duration before now: 90s, 30m, 2h, 7d.`;

/**
 * The deliveries that the options choose.
 *
 * @param now in milliseconds since 1970
 * @throws CommandError
 */
export function filterOf(given: Given, now = Date.now()): DeliveryFilter {
  const state = valueOf(given, 'state', stateOf);
  const ids = valueOf(given, 'id', idsOf);
  const receivedFrom = valueOf(given, 'since', (text) => timeOf(text, now));
  const receivedBefore = valueOf(given, 'before', (text) => timeOf(text, now));
  if (receivedFrom !== undefined && receivedBefore !== undefined && receivedFrom >= receivedBefore)
    throw wrongUsage('--since must be earlier than --before');
  return {
    ...(state === undefined ? {} : { state }),
    ...ids,
    ...(receivedFrom === undefined ? {} : { receivedFrom }),
    ...(receivedBefore === undefined ? {} : { receivedBefore }),
  };
}

/** Whether an option chooses deliveries. */
export const hasFilter = (given: Given): boolean => FILTERS.some((name) => given.has(name));

/** A reader of an option's value returns undefined if it is wrong, or what it must be. */
function valueOf<Value>(
  given: Given,
  name: OptionName,
  read: (text: string) => Value | MustBe,
): Value | undefined {
  const text = given.value(name);
  if (text === undefined) return undefined;
  const value = read(text);
  if (value instanceof MustBe)
    throw wrongUsage(`--${name} must be ${value.what} (got ${JSON.stringify(text)})`);
  return value;
}

/** What the value of an option must be. */
class MustBe {
  constructor(readonly what: string) {}
}

const stateOf = (text: string): DeliveryState | MustBe =>
  DELIVERY_STATES.find((state) => state === text) ??
  new MustBe(`${DELIVERY_STATES.slice(0, -1).join(', ')} or ${DELIVERY_STATES.at(-1)}`);

const ID = /^[1-9]\d{0,14}$/;

function idsOf(text: string): Pick<DeliveryFilter, 'firstId' | 'lastId'> | MustBe {
  const [first = '', last = first, ...more] = text.split('..');
  const isRight = more.length === 0 && ID.test(first) && ID.test(last) && Number(first) <= Number(last);
  return isRight
    ? { firstId: Number(first), lastId: Number(last) }
    : new MustBe('an id or two, the smaller first, such as 7 or 5..90');
}

const MILLISECONDS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function timeOf(text: string, now: number): number | MustBe {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Math.max(0, now - Number(count) * MILLISECONDS[unit]!);
  // Without an offset it is UTC.
  const time = [text, `${text}Z`].map(parseIsoTime).find((each) => !Number.isNaN(each));
  if (time === undefined)
    return new MustBe(
      'a time, such as 2026-11-22 or 2026-11-22T09:30:00Z, or a duration, such as 30m, 2h or 7d',
    );
  return Math.max(0, time);
}

/** A whole number from 1 that an option has. */
export function numberOf(given: Given, name: OptionName, most = Number.MAX_SAFE_INTEGER): number | undefined {
  return valueOf(given, name, (text) =>
    ID.test(text) && Number(text) <= most
      ? Number(text)
      : new MustBe(most === Number.MAX_SAFE_INTEGER ? 'an id' : `a whole number from 1 to ${most}`),
  );
}

/** Ids that are named one by one. */
export function idsIn(operands: readonly string[]): number[] {
  return operands.map((text) => {
    if (ID.test(text)) return Number(text);
    const hint = text.includes('..') ? `. For several, use --id ${text}` : '';
    throw wrongUsage(`${JSON.stringify(text)} is not the id of a delivery${hint}`);
  });
}
