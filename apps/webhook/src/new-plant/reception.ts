import type { HeadCheck, Inspection } from '../answers/receiver-effect.js';
import type { Challenges } from '../authentication/challenges.js';
import type { PreparedAnswer } from '../http/prepared-answer.js';
import type { Refusals } from '../http/prepare-refusals.js';

/** How deliveries are received: what the answers decide, and the guards. It is composed once, at the start. */
export interface Reception {
  readonly path: string;
  readonly challenges: Challenges;
  /** Lets a request with an accepted token go on to its content. */
  readonly admit: HeadCheck;
  /** Largest content of one delivery, in bytes. */
  readonly maxContentBytes: number;
  /** Largest content of all deliveries that are being received, in bytes. */
  readonly maxContentBytesInFlight: number;
  /** Finds in the content what the answers ask for; undefined if they ask for nothing. */
  readonly inspect: ((inspection: Inspection) => Promise<void>) | undefined;
  /** What a delivery is answered with once it is kept. */
  readonly acknowledgement: PreparedAnswer;
  readonly refusals: Refusals;
}

/** Injection token of the {@link Reception}. */
export const RECEPTION = Symbol('Reception');
