import type { IncomingMessage } from 'node:http';

import type { ContentMethod, SigningScheme, TokenFormat } from '@plant-store/contract';

import type { AcceptedToken } from '../authentication/access-tokens.js';
import type { PreparedAnswer } from '../http/prepared-answer.js';
import type { Refusals } from '../http/prepare-refusals.js';

/**
 * Looks at the head of a request whose token is accepted, before its content is read.
 *
 * @throws Refusal
 */
export type HeadCheck = (request: IncomingMessage, token: AcceptedToken) => void;

/** A delivery whose content is there, and what is found in it step by step. */
export interface Inspection {
  readonly request: IncomingMessage;
  readonly content: Buffer;
  /** What the content says, once it was parsed. */
  json: unknown;
  eventId: string | null;
}

/**
 * Looks at the content of a delivery, before it is kept.
 *
 * @throws Refusal
 */
export type ContentStep = (inspection: Inspection) => void | Promise<void>;

/** Deliveries are signed: their keys become a setting that has to be there. */
export interface Signing {
  /** How a key is written. */
  readonly key: SigningScheme['key'];
  readonly checkWith: (keys: readonly Buffer[]) => ContentStep;
}

/** A guard that an answer can take the place of, by the name of its setting. */
export type AnswerableGuard = 'MAX_CONTENT_BYTES' | 'REQUEST_TIMEOUT_MS';

/** What an answer changes of the receiver. */
export interface ReceiverEffect {
  /** Values of guards, which can then no longer be set. */
  readonly guards?: { readonly [Name in AnswerableGuard]?: number };
  readonly path?: string;
  readonly methods?: readonly ContentMethod[];
  readonly realm?: string;
  readonly tokenFormat?: TokenFormat;
  readonly acknowledgement?: PreparedAnswer;
  readonly refusals?: Refusals;
  readonly checkHead?: HeadCheck;
  readonly signing?: Signing;
  /** Whether the content has to be parsed for `inspect`. */
  readonly readsJson?: true;
  readonly inspect?: ContentStep;
}
