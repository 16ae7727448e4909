import type { FactChild, FactNode } from '../facts/fact.js';
import type { Modifier } from './effect.js';

/** Who may be broken. A server implements its document, so it isn't listed. */
export type Party = 'receiver' | 'sender' | 'client';

/** Who writes and who reads what is said at a place. */
export interface Audience {
  readonly writers: readonly Party[];
  readonly readers: readonly Party[];
}

/** The two documents at one place. */
export interface Pair {
  readonly first: FactNode | undefined;
  readonly second: FactNode | undefined;
}

/** A part of the schema of a body, a parameter or a header. */
export interface InMessage {
  readonly schema: Pair;
  /** Of a JSON Pointer; the same in both documents. */
  readonly steps: readonly string[];
}

/** What changed as one: the highest part that only one document has, or a part that has no parts of its own. */
export interface Unit {
  /** What the rules call it, as `schema.maximum`, `schema.properties.*` or `paths.*`. */
  readonly kind: string;
  /** Its last step. */
  readonly field: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  /** What it is a part of. */
  readonly within: Pair;
  /** What that is a part of; the schema, for a property. */
  readonly around: Pair;
  /** The whole documents. */
  readonly root: Pair;
  readonly audience: Audience;
  /** Whether it is said of a response. */
  readonly isResponse: boolean;
  /** The schema of the message that it is a part of, and the steps from there. Undefined if it is in none. */
  readonly inMessage: InMessage | undefined;
  /** From the outermost to the innermost. */
  readonly modifiers: readonly Modifier[];
}
