import type { ExecutableAnswers } from './answer-types.js';

/** How a delivery is signed: the answer to `signing`. */
export type SigningScheme = ExecutableAnswers['signing'];

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
