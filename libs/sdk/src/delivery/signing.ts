import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { KEY_PATTERNS, signedPieces, type SigningScheme } from '@plant-store/contract';
import type { EncodedPlant } from '../encoders/plant-encoder.js';
import { ignore, isPromiseLike } from '../encoders/promise-like.js';
import { notSent, type PlantStoreError } from '../errors/plant-store-error.js';
import { withoutMessage } from '../errors/without-message.js';

/** The key of the signatures in the answered form, or a function that returns it for each attempt. */
export type SigningKey = string | (() => string);

/** Reads a key in the form that the answer to the question signing defines. `undefined` if it has another form. */
export function parseSigningKey(
  { prefix, encoding }: SigningScheme['key'],
  key: unknown,
): KeyObject | undefined {
  const rest = typeof key === 'string' && key.startsWith(prefix) ? key.slice(prefix.length) : '';
  return KEY_PATTERNS[encoding].test(rest) ? createSecretKey(Buffer.from(rest, encoding)) : undefined;
}

/** The form of a key, for messages. */
export function describeKey({ prefix, encoding }: SigningScheme['key']): string {
  const text = encoding === 'base64' ? encoding : 'text without commas or outer spaces';
  return `${prefix && `${prefix} and then `}${text}`;
}

/**
 * Makes the function that returns the key of an attempt. The key never becomes part of an error, and neither does what a
 * function of the caller throws.
 */
export function keyReader(scheme: SigningScheme['key'], makeKey: () => unknown): () => KeyObject {
  return () => {
    let made: unknown;
    try {
      made = makeKey();
      if (isPromiseLike(made)) ignore(made);
    } catch (thrown) {
      throw signingKeyFailed('threw an error; see `cause`.', withoutMessage(thrown));
    }
    const key = parseSigningKey(scheme, made);
    if (key === undefined) throw signingKeyFailed(`must return ${describeKey(scheme)}.`);
    return key;
  };
}

function signingKeyFailed(problem: string, cause?: unknown): PlantStoreError {
  return notSent('PLANT_STORE_SIGNING_KEY_FAILED', `\`signingKey\` ${problem}`, cause);
}

/** Signs attempts. */
export class Signer {
  readonly #scheme: SigningScheme;
  readonly #keyOf: () => KeyObject;

  /** @param keyOf Returns the key of an attempt. */
  constructor(scheme: SigningScheme, keyOf: () => KeyObject) {
    this.#scheme = scheme;
    this.#keyOf = keyOf;
  }

  /** The header fields of an attempt. */
  sign({ content, eventId = '' }: EncodedPlant): Record<string, string> {
    const { algorithm, signature, timestamp: time } = this.#scheme;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const hash = createHmac(algorithm.slice('hmac-'.length), this.#keyOf());
    for (const piece of signedPieces(this.#scheme, { eventId, timestamp, content })) hash.update(piece);
    return {
      ...(time && { [time.header]: timestamp }),
      [signature.header]: signature.prefix + hash.digest(signature.encoding),
    };
  }
}
