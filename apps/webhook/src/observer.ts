import type { Failure } from '@plant-store/contract';

/** Why a request was refused: a failure of the contract, or what keeps HTTP from processing it. */
export type RefusalReason =
  | Failure
  | 'chunk-extensions-too-large'
  | 'head-too-large'
  | 'host-invalid'
  | 'http-version-unsupported'
  | 'method-not-implemented'
  | 'not-http'
  | 'path-malformed'
  | 'request-too-slow'
  | 'transfer-coding-unknown';

/**
 * Sees what the receiver does, for its metrics. It is called for each delivery: it must be cheap, and must not throw.
 * Times are in milliseconds.
 */
export interface Observer {
  /** A response to a request was sent, whatever its path. */
  responded(status: number): void;

  /** A request was refused. Nothing of it is passed on, only where it came from. */
  refused(status: number, reason: RefusalReason, peer: string | undefined): void;

  /** A delivery was acknowledged, so long after its head was read. */
  acknowledged(milliseconds: number): void;

  /** The inbox made deliveries durable, all in one commit. */
  committed(deliveries: number, milliseconds: number): void;

  /** An attempt of the handler ended. */
  attempted(result: 'handled' | 'failed' | 'parked', milliseconds: number): void;
}

/** Injection token of the {@link Observer}. */
export const OBSERVER = Symbol('Observer');

const nothing = (): void => undefined;

/** For those who are not observed. */
export const NO_OBSERVER: Observer = {
  responded: nothing,
  refused: nothing,
  acknowledged: nothing,
  committed: nothing,
  attempted: nothing,
};

/** Tells several observers what each of them wants to see, in their order. */
export function observeBy(...observers: readonly Partial<Observer>[]): Observer {
  return {
    responded: (...seen) => observers.forEach((observer) => observer.responded?.(...seen)),
    refused: (...seen) => observers.forEach((observer) => observer.refused?.(...seen)),
    acknowledged: (...seen) => observers.forEach((observer) => observer.acknowledged?.(...seen)),
    committed: (...seen) => observers.forEach((observer) => observer.committed?.(...seen)),
    attempted: (...seen) => observers.forEach((observer) => observer.attempted?.(...seen)),
  };
}
