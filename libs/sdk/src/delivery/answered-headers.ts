import { createHmac, type KeyObject } from 'node:crypto';
import { signedPieces, type SigningScheme } from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import type { EncodedPlant } from '../encoders/encode-plant.js';

/** Header fields of an attempt, made anew for each, as a flat list of names and values. */
export type MakeHeaders = (plant: EncodedPlant) => readonly string[];

/** The header fields that the answers ask for, one entry for each answer that asks for some. */
export interface AnsweredHeaders {
  readonly makers: readonly MakeHeaders[];
  /** Names of the fields, in lower case. */
  readonly names: readonly string[];
}

/** Decides which header fields the answers add. */
export function answeredHeaders(
  { versionHeader, eventIdHeader, signing }: AnsweredSettings,
  signingKey: KeyObject | undefined,
): AnsweredHeaders {
  const makers: MakeHeaders[] = [];
  const names: string[] = [];
  if (versionHeader !== undefined) {
    const field = Object.freeze([versionHeader.header, versionHeader.value]);
    makers.push(() => field);
    names.push(versionHeader.header);
  }
  if (eventIdHeader !== undefined) {
    makers.push(({ eventId }) => [eventIdHeader, eventId!]);
    names.push(eventIdHeader);
  }
  if (signing !== undefined && signingKey !== undefined) {
    makers.push(signer(signing, signingKey));
    names.push(signing.signature.header, ...(signing.timestamp ? [signing.timestamp.header] : []));
  }
  return { makers, names: names.map((name) => name.toLowerCase()) };
}

function signer(scheme: SigningScheme, key: KeyObject): MakeHeaders {
  const { signature, timestamp: time } = scheme;
  const algorithm = scheme.algorithm === 'hmac-sha256' ? 'sha256' : 'sha512';
  return ({ content, eventId = '' }) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const hash = createHmac(algorithm, key);
    for (const piece of signedPieces(scheme, { eventId, timestamp, content })) hash.update(piece);
    const signed = [signature.header, signature.prefix + hash.digest(signature.encoding)];
    return time === undefined ? signed : [time.header, timestamp, ...signed];
  };
}
