import type { EventOptions, GivenAnswers } from '../answers/answered-types.js';
import type { RawSendOptions } from '../delivery/delivery.js';
import type { HeaderFields } from '../delivery/header-fields.js';
import { invalidOption } from '../errors/invalid-options-error.js';
import { checkNames, readOptions, readSwitch } from './read-options.js';

/** Options of `sendEncoded`. */
export interface SendEncodedOptions {
  /** Ends the delivery when it is aborted, at any stage (`PLANT_STORE_ABORTED`). */
  readonly signal?: AbortSignal | undefined;
  /**
   * Header fields of this delivery, the same in each attempt. The rules of the sender's `headers` apply to them. If
   * both have a field of the same name, this one is sent.
   */
  readonly headers?: HeaderFields | undefined;
}

/** Options of one delivery. Answers to event-identity and event-payload-fields add some. */
export interface SendOptions extends SendEncodedOptions, EventOptions<GivenAnswers> {}

/** The options of a method may be left out while none of them is required. */
export type OptionalArgument<Options> =
  Record<never, never> extends Options ? [options?: Options] : [options: Options];

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
const names = ['signal', 'headers', 'eventId', 'event'];
const noOptions: RawSendOptions = Object.freeze({});

/**
 * Reads the options of `send`. `headers`, `eventId` and `event` are checked where they are used.
 *
 * @throws InvalidOptionsError
 */
export function readSendOptions(raw: unknown): RawSendOptions {
  if (raw === undefined) return noOptions;
  const options = checkNames(raw, names, '`send`');
  if (options['signal'] !== undefined && !isSignal(options['signal'])) {
    throw invalidOption('signal', 'must be an AbortSignal.');
  }
  return options;
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

/** Whether a value works as an AbortSignal, of whatever realm or package. */
function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener, removeEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  );
}
