import type { AnswerValues } from '@plant-store/contract';
import type { EventOptions, GivenAnswers } from '../answers/answered-types.js';
import type { RawSendOptions } from '../delivery/delivery.js';
import type { HeaderFields } from '../delivery/header-fields.js';
import { invalidOption, type OptionFault } from '../errors/invalid-options-error.js';
import { readFunction, readInteger, readOptions, readSwitch, readRaw } from './read-options.js';

/** Options of one delivery under the answers given so far. */
export type SendOptions<Given extends AnswerValues = GivenAnswers> = SignalOption & OwnOptions<Given>;

interface SignalOption {
  /** Ends the delivery when it is aborted, at any stage (`PLANT_STORE_ABORTED`). */
  readonly signal?: AbortSignal | undefined;
}

/** What belongs to one plant. */
type OwnOptions<Given extends AnswerValues> = HeadersOption & EventOptions<Given>;

interface HeadersOption {
  /**
   * Header fields of this delivery, the same in each attempt. The rules of the sender's `headers` apply to them. If
   * both have a field of the same name, this one is sent.
   */
  readonly headers?: HeaderFields | undefined;
}

/** Options of `sendEncoded`. */
export type SendEncodedOptions = SignalOption & HeadersOption;

/** The options of a method may be left out while none of them is required. */
export type OptionalArgument<Options> =
  Record<never, never> extends Options ? [options?: Options] : [options: Options];

/** Options of `sendAll` under the answers given so far. */
export type SendAllOptions<Plant, Given extends AnswerValues = GivenAnswers> = {
  /**
   * How many deliveries may be in flight. A delivery counts until its result is read.
   *
   * @default the sender's `maxConnections`
   */
  readonly concurrency?: number | undefined;
  /**
   * Ends the deliveries in flight when it is aborted, and starts no further one. The iteration ends with
   * `PLANT_STORE_ABORTED`, after the results of the deliveries in flight.
   */
  readonly signal?: AbortSignal | undefined;
} & OptionsOf<Plant, OwnOptions<Given>>;

/** `optionsOf` may be left out while no option of `send` is required. */
type OptionsOf<Plant, Options> =
  Record<never, never> extends Options
    ? { readonly optionsOf?: MakeOptions<Plant, Options> | undefined }
    : { readonly optionsOf: MakeOptions<Plant, Options> };

/** Returns the options of `send` for one plant, without `signal`. The index counts from 0. */
type MakeOptions<Plant, Options> = (plant: Plant, index: number) => Options;

/** Options of `close`. */
export interface CloseOptions {
  /**
   * Whether to abort the deliveries in flight (`PLANT_STORE_ABORTED`) instead of waiting for them.
   *
   * @default false
   */
  readonly force?: boolean | undefined;
}

/** The options of `send` that any answers ask for. Those that aren't asked for are ignored. */
const ownOptions = ['headers', 'eventId', 'event'] as const;
const sendOptions = ['signal', ...ownOptions] as const;
const noSendOptions: RawSendOptions = Object.freeze({});

/**
 * Reads the options of `send`. `headers`, `eventId` and `event` are checked where they are used.
 *
 * @throws InvalidOptionsError
 */
export function readSendOptions(options: unknown): RawSendOptions {
  if (options === undefined) return noSendOptions;
  const read = readRaw(options, sendOptions, '`send`');
  readSignal(read.signal, 'signal');
  return read as RawSendOptions;
}

/** What `sendAll` does with its plants. */
export interface SendAllSettings<Plant> {
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
  /** The options of `send` for one plant. It throws an InvalidOptionsError. */
  readonly sendOptionsOf: (plant: Plant, index: number) => unknown;
}

/**
 * Reads the arguments of `sendAll`.
 *
 * @throws InvalidOptionsError with every fault.
 */
export function readSendAllOptions<Plant>(
  plants: unknown,
  options: unknown = {},
  maxConnections: number,
): SendAllSettings<Plant> {
  const readers = {
    concurrency: (count: unknown, name: string) => readInteger(count, name, 1),
    signal: readSignal,
    optionsOf: readFunction as () => OptionsOfPlant<Plant> | undefined,
  };
  const defaults = { concurrency: maxConnections };
  const found = isIterable(plants) ? [] : [notIterable];
  const { concurrency, signal, optionsOf } = readOptions(readers, options, '`sendAll`', defaults, found);
  const sendOptionsOf = (plant: Plant, index: number): object => ({
    ...(optionsOf && callOptionsOf(optionsOf, plant, index)),
    signal,
  });
  return { concurrency, signal, sendOptionsOf };
}

type OptionsOfPlant<Plant> = (plant: Plant, index: number) => unknown;

function callOptionsOf<Plant>(optionsOf: OptionsOfPlant<Plant>, plant: Plant, index: number): object {
  let options: unknown;
  try {
    options = optionsOf(plant, index);
  } catch (cause) {
    throw invalidOption('optionsOf', 'threw an error; see `cause`.', { cause });
  }
  return readRaw(options, ownOptions, 'one plant of `sendAll`');
}

/**
 * Reads the options of `close`.
 *
 * @returns Whether to abort the deliveries in flight.
 * @throws InvalidOptionsError
 */
export function readCloseOptions(options: unknown = {}): boolean {
  return readOptions({ force: readSwitch }, options, '`close`', { force: false }).force;
}

/** Reads a value that works as an AbortSignal, of whatever realm. It may be left out. */
function readSignal(option: unknown, name: string): AbortSignal | undefined {
  if (option === undefined) return undefined;
  const signal: Partial<AbortSignal> | null = option;
  if (typeof signal?.aborted === 'boolean' && typeof signal.addEventListener === 'function') {
    return option as AbortSignal;
  }
  throw invalidOption(name, 'must be an AbortSignal.');
}

const notIterable: OptionFault = Object.freeze({
  option: 'plants',
  problem: 'must be an iterable or asynchronous iterable, and not text.',
});

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
