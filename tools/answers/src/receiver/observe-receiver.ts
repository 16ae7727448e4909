import Database from 'libsql';

import { CONTENT, type ExampleDelivery, exampleDelivery, SIGNING_KEY } from '../example-delivery.js';
import type { Observations } from '../observations.js';
import type { World } from '../world/make-world.js';
import { type Answer, request } from './request.js';
import { NotStarted, startWorldReceiver, type WorldReceiver } from './world-receiver.js';

/** Deliveries that differ from what the example answers agree on in one respect each. */
const VARIATIONS: Readonly<Record<string, (agreed: ExampleDelivery) => ExampleDelivery>> = {
  'sent with POST': (agreed) => ({ ...agreed, method: 'POST' }),
  'sent with GET': (agreed) => ({ ...agreed, method: 'GET' }),
  'of another media type': (agreed) => withField(agreed, 'content-type', 'text/plain'),
  'of another version': (agreed) => withField(agreed, 'plant-store-version', '2.0.0'),
  'without a signature': (agreed) => withoutField(agreed, 'webhook-signature'),
  'without an identifier': (agreed) => withoutField(agreed, 'webhook-id'),
};

/** Contents that differ in the same way; each is signed as it is. */
const CONTENTS: Readonly<Record<string, string>> = {
  'that is no JSON': '{"addedOn"',
  'with a plant alone': '{"name":"Fern"}',
  'with a plant without a name': '{"addedOn":"2026-01-31","plant":{}}',
  'with an event without a date': '{"plant":{"name":"Fern"}}',
  'of 2000 bytes': CONTENT.padEnd(2_000),
};

/** How many deliveries are sent one after the other to see whether a rate is kept. */
const MANY = 21;

/** Each observation has a token of its own, so that a rate limit does not carry over. */
const TOKENS = Array.from({ length: 20 }, (_, index) => `example-${index}`);

/** Looks at the receiver of a world from outside. */
export async function observeReceiver(world: World): Promise<Observations> {
  const signing = world.answered.includes('signing') ? { SIGNING_KEYS: SIGNING_KEY } : {};
  const receiver = await startWorldReceiver(world, 'inbox', { ACCESS_TOKENS: TOKENS.join(','), ...signing });
  try {
    return { ...(await observeAnswers(receiver)), ...(await observeStart(world)) };
  } finally {
    await receiver.stop();
  }
}

async function observeAnswers(receiver: WorldReceiver): Promise<Observations> {
  const tokens = TOKENS.values();
  const agreed = (content?: string): ExampleDelivery => {
    const token = tokens.next().value as string;
    return exampleDelivery(token, `event-of-${token}`, content);
  };
  const send = (delivery: ExampleDelivery): Promise<Answer> => request(receiver.url, delivery);

  const taken = await send(agreed());
  const outcome = ({ status }: Answer): string =>
    status === taken.status ? 'taken' : `refused with ${status}`;
  const seen: Record<string, string> = { 'as agreed': inWords(taken) };
  for (const [name, vary] of Object.entries(VARIATIONS)) seen[name] = outcome(await send(vary(agreed())));
  for (const [name, content] of Object.entries(CONTENTS)) seen[name] = outcome(await send(agreed(content)));

  const same = agreed();
  const before = countDeliveries(receiver);
  await send(same);
  await send(same);
  seen['sent twice'] = `${countDeliveries(receiver) - before} kept`;

  const token = tokens.next().value as string;
  let last = taken;
  for (let count = 1; count <= MANY; count += 1) last = await send(exampleDelivery(token, `quick-${count}`));
  seen[`after ${MANY - 1} others`] = outcome(last);

  seen['without a token'] = inWords(await send(withoutField(agreed(), 'authorization')));
  seen['with a wrong token'] = inWords(
    await send(withField(agreed(), 'authorization', 'Bearer example-wrong')),
  );
  return seen;
}

/** What a start says to settings that only an answer, or only an open question, has a use for. */
async function observeStart(world: World): Promise<Observations> {
  const settings = { ACCESS_TOKENS: 'other', MAX_CONTENT_BYTES: '500', REQUEST_TIMEOUT_MS: '500' };
  try {
    const receiver = await startWorldReceiver(world, 'other-inbox', settings);
    await receiver.stop();
    return { 'started with other settings': 'listens' };
  } catch (error) {
    if (!(error instanceof NotStarted)) throw error;
    const names = Array.from(error.message.matchAll(/^ {2}([A-Z_]+):/gm), ([, name]) => name);
    return { 'started with other settings': `refuses ${[...new Set(names)].sort().join(', ')}` };
  }
}

function countDeliveries({ inbox }: WorldReceiver): number {
  const database = new Database(inbox, { readonly: true });
  try {
    return (database.prepare('SELECT count(*) AS count FROM delivery').get() as { count: number }).count;
  } finally {
    database.close();
  }
}

function inWords({ status, challenge, mediaType, content }: Answer): string {
  return [`${status}`, challenge, mediaType, content].filter(Boolean).join(' · ');
}

function withField(delivery: ExampleDelivery, name: string, value: string): ExampleDelivery {
  return { ...delivery, headers: { ...delivery.headers, [name]: value } };
}

function withoutField(delivery: ExampleDelivery, name: string): ExampleDelivery {
  const headers = Object.entries(delivery.headers).filter(([field]) => field !== name);
  return { ...delivery, headers: Object.fromEntries(headers) };
}
