import { outputOption } from '@plant-store/command/command-line';
import { Command, InvalidArgumentError, Option } from 'commander';

import { errorGroupOf } from '../logging/error-group.js';
import { DELIVERY_STATES, type DeliveryFilter, type DeliveryState } from '../inbox/inbox-operations.js';
import { parseTime } from '../inbox/parse-time.js';
import { MAX_LIMIT } from '../operations/parameters.js';
import { unescaped } from './printable.js';

/** The values of the options that choose deliveries. */
export interface Selection {
  readonly state?: DeliveryState;
  /** In milliseconds since 1970. */
  readonly since?: number;
  readonly before?: number;
  readonly id?: Pick<DeliveryFilter, 'firstId' | 'lastId'>;
  /** A message of the error. */
  readonly error?: string;
}

/** A command, with the options that several have. */
export class InboxCommand extends Command {
  override createCommand(name?: string): InboxCommand {
    return new InboxCommand(name);
  }

  /** Adds the options that choose deliveries. */
  chooses(states: readonly DeliveryState[] = DELIVERY_STATES): this {
    return this.addOption(new Option('--state <state>', 'only deliveries in this state').choices(states))
      .option('--since <time>', 'only deliveries received at this time or later', (text) => timeOf(text))
      .option('--before <time>', 'only deliveries received before this time', (text) => timeOf(text))
      .option('--id <ids>', 'only these deliveries: 7, or 5..90', rangeOf)
      .option(
        '--error <message>',
        'only deliveries whose last error is this one of plant-inbox errors, apart from numbers and quoted text',
        textOf(1_000),
      )
      .addHelpText('after', ABOUT_TIMES);
  }

  /** Adds those of a list. */
  pages(): this {
    return this.option('--limit <count>', `at most so many, up to ${MAX_LIMIT}`, limitOf, 50)
      .option('--after <id>', 'the page that follows the one that ends with this id', idOf)
      .prints();
  }

  /** Adds how the result is printed. */
  prints(...more: readonly 'raw'[]): this {
    return this.addOption(outputOption(...more));
  }

  /** Adds who acts, and why. */
  acts(isRequired = false): this {
    const by = new Option('--by <name>', 'who acts, if not this user').env('SUDO_USER');
    const reason = new Option('--reason <text>', 'why; kept with what is done').argParser(textOf(1_000));
    return this.addOption(by.argParser(textOf(100))).addOption(reason.makeOptionMandatory(isRequired));
  }
}

const ABOUT_TIMES = `
A time is ISO 8601, such as 2026-11-22 or 2026-11-22T09:30+01:00 (UTC without an
offset), or a duration before now: 90s, 30m, 2h, 7d.`;

/** Reads a text of at most so many characters. */
export const textOf =
  (max: number) =>
  (text: string): string => {
    if (text.trim() !== '' && text.length <= max) return text;
    throw new InvalidArgumentError(`It must have from 1 to ${max.toLocaleString('en-US')} characters.`);
  };

/** The filter that the options mean. */
export function filterOf({ state, since, before, id, error }: Selection): DeliveryFilter {
  return {
    ...(state !== undefined && { state }),
    ...(since !== undefined && { receivedFrom: since }),
    ...(before !== undefined && { receivedBefore: before }),
    ...id,
    ...(error !== undefined && { errorGroup: errorGroupOf(unescaped(error)) }),
  };
}

const MILLISECONDS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The time that a text means, in milliseconds since 1970.
 *
 * @throws InvalidArgumentError
 */
export function timeOf(text: string, now = Date.now()): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Math.max(0, now - Number(count) * MILLISECONDS[unit]!);
  const time = parseTime(text);
  if (time === undefined)
    throw new InvalidArgumentError(
      'It must be a time, such as 2026-11-22 or 2026-11-22T09:30:00Z, or a duration, such as 30m, 2h or 7d.',
    );
  return time;
}

const ID = /^[1-9]\d{0,14}$/;

/** @throws InvalidArgumentError */
export function rangeOf(text: string): { firstId: number; lastId: number } {
  const [first = '', last = first, ...more] = text.split('..');
  if (more.length > 0 || !ID.test(first) || !ID.test(last) || Number(first) > Number(last))
    throw new InvalidArgumentError('It must be an id or two, the smaller first, such as 7 or 5..90.');
  return { firstId: Number(first), lastId: Number(last) };
}

function limitOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= MAX_LIMIT) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}

/** @throws InvalidArgumentError */
export function idOf(text: string): number {
  if (!ID.test(text)) throw new InvalidArgumentError('It must be the id of a delivery.');
  return Number(text);
}

/** Adds an id to those before. */
export const idsOf = (text: string, ids: readonly number[] = []): number[] => [
  ...new Set([...ids, idOf(text)]),
];
