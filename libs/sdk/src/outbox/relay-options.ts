import type { AnswerValues } from '@plant-store/contract';
import type { GivenAnswers } from '../answers/answered-types.js';
import { answeredSettingsOf } from '../answers/settings-table.js';
import { longestTimer } from '../delivery/clocks.js';
import type { EncodedPlant } from '../encoders/plant-encoder.js';
import type { Outcome, PlantStoreError } from '../errors/plant-store-error.js';
import { invalidOption, unexpected } from '../errors/invalid-options-error.js';
import { readFunction, readInteger, readOptions } from '../options/read-options.js';
import type { OutboxDatabase } from './database.js';

/** The longest time of a relay, in milliseconds: 100 years. PostgreSQL can't reckon with any number. */
export const longestTime = 3_155_760_000_000;

/** What the policy of a relay is told of an entry that was not acknowledged. */
export interface FailedEntry {
  /** The id of the entry. */
  readonly id: number;
  /**
   * How often it was sent since it was enqueued or replayed; 1 after the first time. Attempts that sent nothing don't
   * count.
   */
  readonly attempt: number;
  /** Why the last attempt was not acknowledged. */
  readonly error: PlantStoreError;
  /**
   * The worst one of all attempts, also of those before a replay: `unknown` if the plant may have arrived, else
   * `responded` if the receiver refused it. An attempt that was cut off, because its relay ended or lost the database, is
   * `unknown`.
   */
  readonly outcome: Outcome;
}

/**
 * Decides whether an entry is sent again that the receiver refused, or may have accepted. It isn't asked if nothing was
 * sent: then the entry comes again, unless its content is the reason.
 *
 * @returns milliseconds until it is sent again, from 0 to 3155760000000 (100 years), or `undefined` to park it
 */
export type RelayRetry = (failed: FailedEntry) => number | undefined;

/** Entries that a relay has parked for the same reason, at the same time. */
export interface ParkedNotice {
  /** How many. */
  readonly count: number;
  /** Code of their last error. */
  readonly reason: string;
  /** The ids of the first ten. */
  readonly ids: readonly number[];
}

/** Something that a relay needs fails, or works again. */
export interface OutageNotice {
  /** The database, or the endpoint: the receiver's address, the credentials, and the connection. */
  readonly part: 'database' | 'endpoint';
  /** Why the first try failed; absent once the outage is over. */
  readonly error?: Error;
  /** How long the outage has lasted. */
  readonly seconds: number;
  /** How many tries have failed before. */
  readonly tries: number;
}

/** What relays publish on channels of `node:diagnostics_channel`, by the name of the channel. */
export interface OutboxDiagnosticsMessages {
  /** A relay has parked entries. */
  readonly 'plant-store:outbox:parked': ParkedNotice;
  /** An outage of a relay has begun, or is over. */
  readonly 'plant-store:outbox:outage': OutageNotice;
}

/** The option with the policy of a relay. */
interface RelayRetryOption {
  /**
   * Decides whether an entry that was not acknowledged is sent again (question retry). `false` parks it once it was
   * sent.
   */
  readonly retry: RelayRetry | false;
}

/** The same once the question retry is answered: the relay's sender carries the answer out, in each attempt. */
interface OptionalRetryOption {
  readonly retry?: RelayRetryOption['retry'] | undefined;
}

/** The option with the policy under any answers. */
export type RetryOptionUnder<Given extends AnswerValues> = Given extends { readonly retry: unknown }
  ? OptionalRetryOption
  : RelayRetryOption;

/** The options of a relay that no answer changes. */
export interface RelayBaseOptions {
  /** The outbox whose entries are sent. */
  readonly outbox: { readonly database: OutboxDatabase };
  /** Sends them. Each attempt is one delivery of it. The relay doesn't close it. */
  readonly sender: { sendEncoded(encoded: EncodedPlant): Promise<unknown> };
  /**
   * How many entries are sent at the same time.
   *
   * @default 64
   */
  readonly concurrency?: number | undefined;
  /**
   * How often the relay looks for new entries while it has nothing to do, in milliseconds.
   *
   * @default 250
   */
  readonly pollInterval?: number | undefined;
  /**
   * How long delivered and discarded entries are kept, in milliseconds, up to 3155760000000 (100 years).
   *
   * @default 604800000 (7 days)
   */
  readonly keepDelivered?: number | undefined;
  /**
   * Gets what goes wrong while the relay runs: an `OutboxError` when it loses the database or when the clock of the
   * database was set back, an error of the sender when the endpoint fails, and what `retry` and `onParked` throw. In an
   * outage, each error comes once. If it throws, Node prints a warning.
   *
   * @default errors are ignored
   */
  readonly onError?: ((error: Error) => void) | undefined;
  /**
   * Is told of entries that were parked, once for each reason, when that is stored. Two relays may tell of one that a
   * third one left behind. A relay that is killed may not tell.
   *
   * @default nobody is told, unless something subscribes to the channel `plant-store:outbox:parked`
   */
  readonly onParked?: ((parked: ParkedNotice) => void) | undefined;
}

/** Options of a relay under the answers given so far. */
export interface RelayOptions extends RelayBaseOptions, RetryOptionUnder<GivenAnswers> {}

/** The defaults of a relay. */
export const relayDefaults = Object.freeze({
  concurrency: 64,
  pollInterval: 250,
  keepDelivered: 7 * 24 * 60 * 60 * 1_000,
});

/** The options of a relay, checked. */
export type RelaySettings = ReturnType<typeof readRelayOptions>;

/**
 * Checks the options of a relay.
 *
 * @throws InvalidOptionsError with every fault
 */
export function readRelayOptions(given: AnswerValues, raw: object = {}) {
  const { retry: answered } = answeredSettingsOf(given);
  const readers = {
    outbox: (option: unknown) =>
      readPart('outbox', option, 'database', 'createOutbox') as RelayBaseOptions['outbox'],
    sender: (option: unknown) =>
      readPart('sender', option, 'sendEncoded', 'createNewPlantSender') as RelayBaseOptions['sender'],
    retry: readRelayRetry,
    concurrency: (count: unknown, name: string) => readInteger(count, name, 1, longestTimer),
    pollInterval: (time: unknown, name: string) => readInteger(time, name, 1, longestTimer),
    keepDelivered: (time: unknown, name: string) => readInteger(time, name, 0, longestTime),
    onError: readFunction as () => RelayBaseOptions['onError'],
    onParked: readFunction as () => RelayBaseOptions['onParked'],
  };
  // The sender carries out an answered policy, in each attempt of the relay.
  const defaults = { ...relayDefaults, retry: answered && false };
  return readOptions(readers, raw, 'a relay', defaults);
}

function readRelayRetry(option: unknown): RelayRetry | false {
  if (option === false || typeof option === 'function') return option as RelayRetry | false;
  const problem =
    option === undefined
      ? 'is missing. Pass a function, or `false` to send nothing again. It has no default while the question retry is open.'
      : 'must be a function or false.';
  throw invalidOption('retry', problem, { question: 'retry' });
}

function readPart(name: string, option: unknown, member: string, maker: string): object {
  if (typeof option === 'object' && option !== null && member in option) return option;
  throw unexpected(name, option, `what ${maker} returns.`);
}
