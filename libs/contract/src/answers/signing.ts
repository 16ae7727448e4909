/** A part of a delivery that is signed. */
export type SignedPart = 'event-id' | 'timestamp' | 'content';

/**
 * How a delivery is signed (question `signing`): a keyed hash over some of its parts, in a header field. The key is
 * shared by sender and receiver, and is no part of an answer.
 */
export interface SigningScheme {
  readonly algorithm: 'hmac-sha256' | 'hmac-sha512';
  /** What is signed, in this order, with the separator between. `event-id` is the header of `event-identity`. */
  readonly signed: readonly SignedPart[];
  readonly separator: string;
  /**
   * The field that carries the signature. Several may stand in it with spaces between, as while a key is replaced;
   * one that is right is enough.
   */
  readonly signature: {
    readonly header: string;
    readonly prefix: string;
    readonly encoding: 'base64' | 'hex';
  };
  /** The field that carries the time of sending, in seconds since 1970, and how far it may be off. */
  readonly timestamp?: { readonly header: string; readonly toleranceSeconds: number };
  /** How a key is written where it is configured: its prefix, and the encoding of the rest. */
  readonly key: { readonly prefix: string; readonly encoding: 'base64' | 'utf8' };
}

/** The values of the parts of one delivery, as they stand in it. */
export interface SignedValues {
  readonly eventId: string;
  readonly timestamp: string;
  readonly content: Uint8Array;
}

/** What is signed, piece by piece. */
export function signedPieces(scheme: SigningScheme, values: SignedValues): (string | Uint8Array)[] {
  return scheme.signed.flatMap((part, index) => {
    const piece = part === 'event-id' ? values.eventId : values[part];
    return index === 0 ? [piece] : [scheme.separator, piece];
  });
}
