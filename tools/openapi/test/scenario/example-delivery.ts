import { createHmac } from 'node:crypto';

import { signedPieces } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';

/** The key with which the example deliveries are signed. */
export const SIGNING_KEY = `whsec_${Buffer.from('an example key of 32 bytes here!').toString('base64')}`;

/** A delivery that follows every example answer. */
export interface ExampleDelivery {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly content: string;
}

/** The content of the example deliveries: an event with a plant. */
export const CONTENT = '{"addedOn":"2026-01-31","plant":{"name":"Fern"}}';

/** Makes a delivery that follows every example answer. */
export function exampleDelivery(token: string, eventId: string, content = CONTENT): ExampleDelivery {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return {
    method: exampleAnswers['http-method'],
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': exampleAnswers['media-type'],
      [exampleAnswers['event-identity'].header]: eventId,
      [exampleAnswers.signing.timestamp.header]: timestamp,
      [exampleAnswers.signing.signature.header]: sign(eventId, timestamp, content),
      [exampleAnswers['request-versioning'].header]: exampleAnswers['request-versioning'].value,
    },
    content,
  };
}

function sign(eventId: string, timestamp: string, content: string): string {
  const hmac = createHmac('sha256', Buffer.from(SIGNING_KEY.slice('whsec_'.length), 'base64'));
  const values = { eventId, timestamp, content: Buffer.from(content) };
  for (const piece of signedPieces(exampleAnswers.signing, values)) hmac.update(piece);
  return `v1,${hmac.digest('base64')}`;
}
