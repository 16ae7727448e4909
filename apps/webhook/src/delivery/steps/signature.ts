import { createHmac, timingSafeEqual } from 'node:crypto';

import {
  type ExecutableAnswers,
  KEY_PATTERNS,
  signedPieces,
  type SigningScheme,
} from '@plant-store/contract';

import { Refusal } from '../../http/refusal.js';
import { headerOf, type RequestHead } from '../../http/message.js';
import type { ContentStep, HeadStep } from '../pipeline.js';

/** The bytes of a key as the configuration has it; undefined if it has another prefix or encoding. */
export function readSigningKey({ prefix, encoding }: SigningScheme['key'], text: string): Buffer | undefined {
  const rest = text.slice(prefix.length);
  if (!text.startsWith(prefix) || !KEY_PATTERNS[encoding].test(rest)) return undefined;
  return Buffer.from(rest, encoding);
}

/**
 * Refuses a request without a signature, or with a timestamp outside the tolerance (question `signing`).
 *
 * @param now in milliseconds since 1970
 */
export function requireSignatureFields({ signature, timestamp }: SigningScheme, now = Date.now): HeadStep {
  return (request) => {
    if (signaturesOf(request, signature).length === 0) throw invalid();
    if (timestamp === undefined) return;
    const sent = headerOf(request, timestamp.header) ?? '';
    const difference = Math.abs(Math.floor(now() / 1_000) - Number(sent));
    if (!/^\d+$/.test(sent) || difference > timestamp.toleranceSeconds) throw invalid();
  };
}

/**
 * Refuses a delivery whose signature matches none of the keys. The signature covers the bytes as they were sent.
 *
 * @param identity where the identifier of the event is, in case it is signed
 */
export function verifySignature(
  scheme: SigningScheme,
  keys: readonly Buffer[],
  identity: ExecutableAnswers['event-identity'] | undefined,
): ContentStep {
  const eventIdField = identity !== undefined && 'header' in identity ? identity.header : undefined;
  return ({ request, content }) => {
    const field = (name = ''): string => headerOf(request, name) ?? '';
    const values = {
      // Node has read each byte of the field as a character.
      eventId: Buffer.from(field(eventIdField), 'latin1'),
      timestamp: field(scheme.timestamp?.header),
      content,
    };
    const given = signaturesOf(request, scheme.signature);
    const made = keys.map((key) => makeSignature(scheme, key, values));
    if (!given.some((text) => made.some((signature) => isSame(text, signature)))) throw invalid();
  };
}

/** The signatures with the scheme's prefix, without it. The field may have others, with other prefixes. */
function signaturesOf(request: RequestHead, { header, prefix }: SigningScheme['signature']): string[] {
  return (headerOf(request, header) ?? '')
    .split(' ')
    .filter((text) => text.startsWith(prefix) && text.length > prefix.length)
    .map((text) => text.slice(prefix.length));
}

function makeSignature(
  scheme: SigningScheme,
  key: Buffer,
  values: Parameters<typeof signedPieces>[1],
): string {
  const hash = createHmac(scheme.algorithm === 'hmac-sha256' ? 'sha256' : 'sha512', key);
  for (const piece of signedPieces(scheme, values)) hash.update(piece);
  return hash.digest(scheme.signature.encoding);
}

function isSame(given: string, made: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(made)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function invalid(): Refusal {
  return new Refusal('signature-invalid');
}
