/**
 * What is known of a delivery that failed.
 *
 * - `not-sent`: no byte of the request was handed to a connection. Sending it again cannot deliver it twice.
 * - `unknown`: the request was handed to a connection and no final status came back. The receiver may have
 *   taken the plant.
 * - `answered`: the receiver answered with a final status that is no acknowledgement.
 */
export type Outcome = 'not-sent' | 'unknown' | 'answered';

const certainty = ['not-sent', 'answered', 'unknown'] as const satisfies readonly Outcome[];

/** What is known after two attempts: what the less certain one of them leaves open. */
export function outcomeOfBoth(one: Outcome, other: Outcome): Outcome {
  return certainty.indexOf(one) > certainty.indexOf(other) ? one : other;
}
