import type { ExecutableId, QuestionId } from '@plant-store/contract';
import { kinds, type Observations } from '@plant-store/contract/kinds';
import { onEach, type Seen } from './observations.js';

/** What is seen with everything open. */
export const OPEN: Seen = {
  receiver: {
    'as agreed': '204',
    'sent with POST': 'accepted',
    'sent with GET': 'refused with 405',
    'of another media type': 'accepted',
    'of another version': 'accepted',
    'without a signature': 'accepted',
    'without an identifier': 'accepted',
    'that is no JSON': 'accepted',
    'with a plant alone': 'accepted',
    'with a plant without a name': 'accepted',
    'with an event without a date': 'accepted',
    'of 2000 bytes': 'accepted',
    'sent twice': '2 kept',
    'after 20 others': 'accepted',
    'without a token': '401 · Bearer',
    'with a wrong token': '401 · Bearer error="invalid_token"',
    'started with other settings': 'listens',
  },
  sender: {
    'with every option': 'PUT /plant/webhook · authorization content-type · {"name":"Fern"}',
    'without `baseUrl`': 'needs baseUrl',
    'without `method`': 'needs method',
    'without `encode`': 'needs encode',
    'without `signingKey`': 'may be left out',
    'without `eventId`': 'sent',
    'encoded as text/plain': 'sent',
    'with content of 2000 bytes': 'sent',
    'with a token of another format': 'sent',
    'after a 202': 'acknowledged',
    'after a 503, then a 200': 'not acknowledged',
    'after a 409 with a problem': 'not acknowledged',
    '21 at once': '21 arrive',
    'time-out of an attempt': '15000 ms',
    'after a 400 with a code': 'not acknowledged',
  },
  types: {
    'with every option': 'compiles',
    'without `baseUrl`': 'does not compile',
    'without `method`': 'does not compile',
    'without `encode`': 'does not compile',
    'without `signingKey`': 'compiles',
    'a plant without a name': 'compiles',
    'sent with everything': 'compiles',
    'sent without `eventId`': 'compiles',
    'sent without `event`': 'compiles',
    'a status of 200': 'does not compile',
  },
};

/** What an answer changes, by surface. */
export function changesOf(id: ExecutableId): Seen {
  const row: { readonly [Name in keyof Seen]?: Observations | string } = kinds[id].shows;
  return onEach((surface) => {
    const changes = row[surface];
    return typeof changes === 'object' ? changes : {};
  });
}

/** The answers on which an answer is built. */
export function builtOn(id: ExecutableId): readonly QuestionId[] {
  return kinds[id].builtOn ?? [];
}
