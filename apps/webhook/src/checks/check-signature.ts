import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { type EventIdentity, signedPieces, type SigningScheme } from '@plant-store/contract';

import type { ContentStep, HeadCheck } from '../answers/receiver-effect.js';
import { headerOf } from '../http/header-of.js';
import { Refusal } from '../http/refusal.js';

/**
 * Refuses a request without a signature, or sent at a time that is too far off (question `signing`).
 *
 * @param now in milliseconds since 1970
 */
export function checkSignatureFields({ signature, timestamp }: SigningScheme, now = Date.now): HeadCheck {
  return (request) => {
    if (signaturesOf(request, signature).length === 0) throw invalid();
    if (timestamp === undefined) return;
    const sent = headerOf(request, timestamp.header) ?? '';
    const difference = Math.abs(Math.floor(now() / 1_000) - Number(sent));
    if (!/^\d+$/.test(sent) || difference > timestamp.toleranceSeconds) throw invalid();
  };
}

/**
 * Refuses a delivery whose signature none of the keys makes. It is over the bytes as they came.
 *
 * @param identity where the identifier of the event stands, if that is signed
 */
export function checkSignature(
  scheme: SigningScheme,
  keys: readonly Buffer[],
  identity: EventIdentity | undefined,
): ContentStep {
  const eventIdField = identity !== undefined && 'header' in identity ? identity.header : undefined;
  return ({ request, content }) => {
    const field = (name = ''): string => headerOf(request, name) ?? '';
    const values = { eventId: field(eventIdField), timestamp: field(scheme.timestamp?.header), content };
    const given = signaturesOf(request, scheme.signature);
    const made = keys.map((key) => makeSignature(scheme, key, values));
    if (!given.some((text) => made.some((signature) => isSame(text, signature)))) throw invalid();
  };
}

/** What stands behind the prefix. Others, of another kind and with another prefix, may stand beside it. */
function signaturesOf(request: IncomingMessage, { header, prefix }: SigningScheme['signature']): string[] {
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
