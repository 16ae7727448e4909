/**
 * Sees what the receiver does, for its metrics. It is called for each delivery: it must be cheap, and must not throw.
 * Times are in milliseconds.
 */
export interface Observer {
  /** A response to a request was sent, whatever its path. */
  responded(status: number): void;

  /** A delivery was acknowledged, so long after its head was read. */
  acknowledged(milliseconds: number): void;

  /**
   * The inbox made deliveries durable, all in one commit.
   *
   * @param flush how much of the time the last step took, after which they are durable; undefined if nobody knows
   */
  committed(deliveries: number, milliseconds: number, flush: number | undefined): void;

  /** An attempt of the handler ended. */
  attempted(result: 'handled' | 'failed' | 'parked', milliseconds: number): void;
}

/** Injection token of the {@link Observer}. */
export const OBSERVER = Symbol('Observer');

const nothing = (): void => undefined;

/** Looks away. */
export const NO_OBSERVER: Observer = {
  responded: nothing,
  acknowledged: nothing,
  committed: nothing,
  attempted: nothing,
};
