import { headerNameFaults, unless, wholeNumberFaults } from './checks.js';

/** A part of a delivery that is signed. */
export type SignedPart = 'event-id' | 'timestamp' | 'content';

/**
 * How a delivery is signed (question `signing`): a keyed hash over some of its parts, in a header field. Sender and
 * receiver share the key, which is a secret and not part of the answer.
 */
export interface SigningScheme {
  /** HMAC (RFC 2104) with this hash. */
  readonly algorithm: 'hmac-sha256' | 'hmac-sha512';
  /** The parts that are signed, in this order. `event-id` is the value of the header that `event-identity` names. */
  readonly signed: readonly SignedPart[];
  /** Stands between the parts. */
  readonly separator: string;
  /**
   * The header that carries the signature. It may carry several, separated by spaces, for instance while a key is
   * replaced. One valid signature is enough.
   */
  readonly signature: {
    readonly header: string;
    readonly prefix: string;
    readonly encoding: 'base64' | 'hex';
  };
  /** The header that carries the time of sending, in seconds since 1970, and how far that time may be off. */
  readonly timestamp?: { readonly header: string; readonly toleranceSeconds: number };
  /** How a key is written in the configuration: a prefix, then the key in this encoding, as `KEY_PATTERNS` says. */
  readonly key: { readonly prefix: string; readonly encoding: 'base64' | 'utf8' };
}

/**
 * What a key is after its prefix: base64 with or without padding (RFC 4648 §4, §3.2), or text. Keys are separated by
 * commas, and a file may have comments, white space around a key, and further lines. So text has none of these.
 */
export const KEY_PATTERNS: Readonly<Record<SigningScheme['key']['encoding'], RegExp>> = {
  base64: /^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/,
  utf8: /^(?![\s#])[^,\n\r]+(?<!\s)$/,
};

/** The parts of one delivery, exactly as they are sent. Text is UTF-8. */
export interface SignedValues {
  readonly eventId: string | Uint8Array;
  readonly timestamp: string;
  readonly content: Uint8Array;
}

/** The input of the hash, piece by piece: the parts with the separator between them. */
export function signedPieces(scheme: SigningScheme, values: SignedValues): (string | Uint8Array)[] {
  return scheme.signed.flatMap((part, index) => {
    const piece = part === 'event-id' ? values.eventId : values[part];
    return index === 0 ? [piece] : [scheme.separator, piece];
  });
}

export function signingFaults({ signed, signature, timestamp, key }: SigningScheme): string[] {
  return [
    ...headerNameFaults(signature.header),
    ...unless(
      /^[!-~]*$/.test(signature.prefix),
      `signature.prefix must be printable ASCII without spaces (got ${JSON.stringify(signature.prefix)})`,
    ),
    ...unless(
      /^(?!#)[!-+\--~]*$/.test(key.prefix),
      `key.prefix must be printable ASCII without spaces and commas, and must not begin with # (got ${JSON.stringify(key.prefix)})`,
    ),
    ...(timestamp === undefined
      ? unless(!signed.includes('timestamp'), 'signs the timestamp, so `timestamp` must name its header')
      : [
          ...headerNameFaults(timestamp.header),
          ...wholeNumberFaults(
            'timestamp.toleranceSeconds',
            timestamp.toleranceSeconds,
            0,
            Number.MAX_SAFE_INTEGER,
          ),
        ]),
    ...unless(signed.includes('content'), 'must sign the content'),
  ];
}
