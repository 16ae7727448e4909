import type { RetryPolicy } from '@plant-store/contract';
import type { EncodedPlant } from '../encoders/encode-plant.js';
import { type Outcome, outcomeOfBoth } from '../errors/outcome.js';
import { PlantStoreError } from '../errors/plant-store-error.js';
import { tellAttempts } from '../errors/tell-attempts.js';
import type { AbortFanOut } from './abort-fan-out.js';
import type { Answer } from './answer.js';
import type { Clock } from './clock.js';
import type { Delivery } from './delivery.js';
import { isRepeated } from './is-repeated.js';
import type { Turns } from './turns.js';

/** What the deliveries of one sender that may wait or take several attempts share. */
export interface RepeatedDeliveryContext {
  /** Where they go, for messages. */
  readonly url: string;
  readonly aborts: AbortFanOut;
  /** Runs over all of it. */
  readonly total: Clock;
  readonly policy: RetryPolicy;
  /** Where there is a rate limit. */
  readonly turns: Turns | undefined;
  /** Called when a delivery is settled. */
  readonly onSettled: () => void;
}

type Resolve = (acknowledgement: Answer) => void;
type Reject = (error: Error) => void;

/** One `send`, and what its attempts are made of. */
export interface Sent {
  readonly signal: AbortSignal | undefined;
  readonly resolve: Resolve;
  readonly reject: Reject;
  readonly encode: () => EncodedPlant;
  readonly createAttempt: (resolve: Resolve, reject: Reject) => Delivery;
  readonly beginAttempt: (attempt: Delivery, plant: EncodedPlant) => void;
}

/**
 * One `send` that waits for its turn before each attempt, and makes further ones as a policy has it. It settles once,
 * whatever ends it: an acknowledgement, an error after which there is no other attempt, the total clock or the
 * caller's signal.
 */
export class RepeatedDelivery {
  readonly #context: RepeatedDeliveryContext;
  readonly #sent: Sent;
  #plant: EncodedPlant | undefined;
  #totalTimer: NodeJS.Timeout | undefined;
  #delayTimer: NodeJS.Timeout | undefined;
  #attempt: Delivery | undefined;
  #attempts = 0;
  #outcome: Outcome = 'not-sent';
  #lastError: Error | undefined;
  #isOver = false;

  constructor(context: RepeatedDeliveryContext, sent: Sent) {
    this.#context = context;
    this.#sent = sent;
  }

  /** Encodes the plant, starts the total clock, and makes the first attempt as soon as it may. */
  begin(): void {
    const { aborts, total } = this.#context;
    const { signal } = this.#sent;
    if (signal !== undefined) aborts.add(signal, this);
    this.#plant = this.#isOver ? undefined : this.#encode();
    if (this.#isOver) return;
    this.#totalTimer = setTimeout(() => this.#expire(), total.milliseconds);
    this.#waitForTurn();
  }

  /** Makes an attempt. */
  takeTurn(): void {
    this.#attempts += 1;
    const { createAttempt, beginAttempt } = this.#sent;
    const attempt = createAttempt(
      (acknowledgement) => this.#succeed(acknowledgement),
      (error) => this.#endAttempt(error),
    );
    this.#attempt = attempt;
    beginAttempt(attempt, this.#plant!);
  }

  /** Gives up because the caller wants it. */
  abort(cause: unknown): void {
    this.#isOver = true;
    if (this.#attempt !== undefined) return this.#attempt.abort(cause);
    this.#giveUp('PLANT_STORE_ABORTED', `The delivery to ${this.#context.url} was aborted.`, cause);
  }

  /** Nothing where that is the end of the delivery: the caller's code may throw, abort, or both. */
  #encode(): EncodedPlant | undefined {
    try {
      return this.#sent.encode();
    } catch (error) {
      if (!this.#isOver) this.#fail(error as Error);
      return undefined;
    }
  }

  #expire(): void {
    this.#isOver = true;
    const { total, url } = this.#context;
    if (this.#attempt !== undefined) return this.#attempt.expire(total);
    const message = `No acknowledgement from ${url} within ${total.milliseconds} ms (${total.option}).`;
    this.#giveUp(total.code, message, this.#lastError);
  }

  #giveUp(code: PlantStoreError['code'], message: string, cause: unknown): void {
    this.#fail(new PlantStoreError(code, message, { outcome: this.#outcome, cause }));
  }

  #waitForTurn(): void {
    const { turns } = this.#context;
    if (turns === undefined) this.takeTurn();
    else turns.join(this);
  }

  #endAttempt(error: Error): void {
    this.#attempt = undefined;
    this.#lastError = error;
    if (error instanceof PlantStoreError) this.#outcome = outcomeOfBoth(this.#outcome, error.outcome);
    const { policy } = this.#context;
    const delay = policy.delays[this.#attempts - 1];
    if (this.#isOver || delay === undefined || !isRepeated(policy, error)) return this.#fail(error);
    this.#delayTimer = setTimeout(() => this.#waitForTurn(), delay);
  }

  #succeed(acknowledgement: Answer): void {
    this.#settle();
    this.#sent.resolve(acknowledgement);
  }

  #fail(error: Error): void {
    this.#settle();
    if (error instanceof PlantStoreError) tellAttempts(error, this.#attempts, this.#outcome);
    this.#sent.reject(error);
  }

  #settle(): void {
    const { aborts, onSettled, turns } = this.#context;
    const { signal } = this.#sent;
    this.#isOver = true;
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#delayTimer);
    turns?.leave(this);
    if (signal !== undefined) aborts.delete(signal, this);
    onSettled();
  }
}
