import {
  acceptFaults,
  accepts,
  type Accepts,
  answerFaults,
  answers,
  type Answers,
} from '@plant-store/contract';
import type { Column, OptionTable, PlantOf } from './answers/option-table.js';
import { AbortFanOut } from './delivery/abort-fan-out.js';
import { createAuthorizer } from './delivery/access-token.js';
import { createClocks } from './delivery/clocks.js';
import {
  deliverInAttempts,
  deliverOnce,
  type SenderParts,
  type UncheckedSendOptions,
} from './delivery/begin-delivery.js';
import { createHeaders } from './delivery/headers.js';
import { acknowledges, responseExplainer } from './delivery/response.js';
import { InvalidOptionsError } from './errors/invalid-options-error.js';
import type { Response } from './errors/not-acknowledged-error.js';
import { PlantStoreError } from './errors/plant-store-error.js';
import { resolveSettings, type Settings } from './options/resolve-settings.js';
import type { NewPlantSenderOptions } from './options/sender-options.js';
import { openTransport } from './transport/transport.js';

/** Sends the New Plant notification to one receiver, over connections of its own. */
export interface NewPlantSender<Plant, Given extends Answers = typeof answers> {
  /**
   * Delivers one plant, in one attempt unless there is a retry policy (question retry). The plant and the event are
   * not validated at run time, whatever is answered: TypeScript checks the call, and the receiver checks the content.
   *
   * @returns The response that acknowledges the delivery: any 2xx (RFC 9110 §15.3), or the answered status only
   *   (question receiver-response).
   * @throws PlantStoreError in every other case, with a `code` from `errorCodes` and an `outcome`.
   */
  send(plant: Plant, ...options: SendArguments<SendOptions<Given>>): Promise<Acknowledgement<Given>>;
  /**
   * Waits for the deliveries that were started, including waits for the rate limit and for further attempts, then ends
   * the connections. After `close` was called, `send` rejects with `PLANT_STORE_SENDER_CLOSED`.
   */
  close(): Promise<void>;
}

/** Options of one delivery under the answers given so far. */
export type SendOptions<Given extends Answers = typeof answers> = SignalOption &
  Column<OptionTable<unknown, Given>, 'send'>;

interface SignalOption {
  /** Ends the delivery when it is aborted, at any stage (`PLANT_STORE_ABORTED`). */
  readonly signal?: AbortSignal | undefined;
}

/** The options of `send` may be left out while none of them is required. */
type SendArguments<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

/**
 * A response that acknowledges a delivery. While the question receiver-response is open, every 2xx does (RFC 9110
 * §15.3); once it is answered, only that status does. Headers and content don't matter.
 */
export type Acknowledgement<Given extends Answers = typeof answers> = Response &
  Column<OptionTable<unknown, Given>, 'acknowledgement'>;

/**
 * Creates a sender of the New Plant notification. Create it once, send as often as you like, then close it.
 *
 * @typeParam Plant The type of the plants: any type, until the question plant-fields is answered with a schema.
 * @throws InvalidOptionsError with every fault of the options. A fault names the open question that makes an option
 *   required.
 */
export function createNewPlantSender<Plant extends PlantOf<typeof answers> = PlantOf<typeof answers>>(
  options: NewPlantSenderOptions<Plant>,
): NewPlantSender<Plant> {
  return createSender<typeof answers, Plant>(answers, options, accepts);
}

/**
 * Creates a sender under a set of answers that nobody has checked yet. Those of the contract are checked before it is
 * published. `createNewPlantSender` doesn't do it again: a bundle would have all the checks.
 *
 * @param accepted What is accepted beside the answers.
 * @throws InvalidOptionsError with every fault of the answers, or else every fault of the options.
 */
export function createSenderUnder<const Given extends Answers, Plant extends PlantOf<Given> = PlantOf<Given>>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
  accepted: Accepts = {},
): NewPlantSender<Plant, Given> {
  const faults = [...answerFaults(given), ...acceptFaults(accepted, given)];
  if (faults.length > 0) {
    throw new InvalidOptionsError(faults.map((problem) => ({ option: 'answers', problem })));
  }
  return createSender(given, options, accepted);
}

function createSender<const Given extends Answers, Plant extends PlantOf<Given>>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
  accepted: Accepts,
): NewPlantSender<Plant, Given> {
  const settings = resolveSettings<Plant>(given, options, accepted);
  return openSender(settings) as unknown as NewPlantSender<Plant, Given>;
}

/** A sender with checked settings. The options of `send` are not checked yet. */
export interface OpenSender<Plant> {
  send(plant: Plant, options?: UncheckedSendOptions): Promise<Response>;
  close(): Promise<void>;
}

/** Opens a sender with checked settings. */
export function openSender<Plant>(settings: Settings<Plant>): OpenSender<Plant> {
  const { answered, attemptTimeout, maxResponseBytes, method, retry, signingKey, target, totalTimeout } =
    settings;
  const { url } = target;
  const clocks = createClocks(attemptTimeout, totalTimeout);
  const inFlight = new InFlight();
  const parts: SenderParts<Plant> = {
    encode: settings.encode,
    authorize: createAuthorizer(settings.accessToken, settings.syntax, clocks),
    makeHeaders: createHeaders({ hook: settings.headers, method, url, answered, signingKey }),
    transport: openTransport(settings),
    context: {
      url,
      maxResponseBytes,
      acknowledges: acknowledges(answered),
      explain: responseExplainer(answered),
      aborts: new AbortFanOut(),
      onSettled: () => inFlight.leave(),
    },
  };
  const beginDelivery =
    retry === undefined && answered.rateLimit === undefined
      ? deliverOnce(parts)
      : deliverInAttempts(parts, clocks.total, retry, answered.rateLimit);
  let closed: Promise<void> | undefined;

  function send(plant: Plant, options: UncheckedSendOptions = {}): Promise<Response> {
    if (closed !== undefined) return Promise.reject(senderClosed());
    return new Promise((resolve, reject) => {
      inFlight.enter();
      try {
        beginDelivery(plant, options, resolve, reject);
      } catch (error) {
        inFlight.leave();
        throw error;
      }
    });
  }

  async function close(): Promise<void> {
    await inFlight.whenEmpty();
    await parts.transport.close();
  }

  return Object.freeze({ send, close: () => (closed ??= close()) });
}

function senderClosed(): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_SENDER_CLOSED', 'The sender is closed.', { outcome: 'not-sent' });
}

/** Counts the deliveries of a sender that have not succeeded or failed yet. */
class InFlight {
  #count = 0;
  #onEmpty: (() => void) | undefined;

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onEmpty?.();
  }

  whenEmpty(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onEmpty = resolve));
  }
}
