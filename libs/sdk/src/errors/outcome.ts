/**
 * What is known of a delivery that failed.
 *
 * - `not-sent`: no byte of the request was handed to a connection. Sending it again cannot deliver it twice.
 * - `unknown`: the request was handed to a connection and no final status came back. The receiver may have
 *   taken the plant.
 * - `answered`: the receiver answered with a final status that is no acknowledgement (outside 2xx).
 */
export type Outcome = 'not-sent' | 'unknown' | 'answered';
