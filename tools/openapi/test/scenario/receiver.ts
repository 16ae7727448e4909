import { request } from 'node:http';
import { text } from 'node:stream/consumers';

import { type Executable as Answers, facts } from '@plant-store/contract';
import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Observations } from '@plant-store/contract/kinds';
import { configure, type Receiver, startReceiver } from './built.js';
import { CONTENT, type ExampleDelivery, exampleDelivery, SIGNING_KEY } from './example-delivery.js';

/** Deliveries that differ in one respect each from what the example answers say. */
const VARIATIONS: Readonly<Record<string, (delivery: ExampleDelivery) => ExampleDelivery>> = {
  'sent with POST': (delivery) => ({ ...delivery, method: 'POST' }),
  'sent with GET': (delivery) => ({ ...delivery, method: 'GET' }),
  'of another media type': (delivery) => withField(delivery, 'content-type', 'text/plain'),
  'of another version': (delivery) => withField(delivery, 'plant-store-version', '2.0.0'),
  'without a signature': (delivery) => withoutField(delivery, 'webhook-signature'),
  'without an identifier': (delivery) => withoutField(delivery, 'webhook-id'),
};

/** Contents that differ in the same way. Each is signed. */
const CONTENTS: Readonly<Record<string, string>> = {
  'that is no JSON': '{"addedOn"',
  'with a plant alone': '{"name":"Fern"}',
  'with a plant without a name': '{"addedOn":"2026-01-31","plant":{}}',
  'with an event without a date': '{"plant":{"name":"Fern"}}',
  'of 2000 bytes': CONTENT.padEnd(2_000),
};

/** The number of deliveries that are sent in a row to observe a rate limit. */
const MANY = 21;

/** Each observation has its own token, so that they don't share a rate limit. */
const TOKENS = Array.from({ length: 20 }, (_, index) => `example-${index}`);

interface Response {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly mediaType: string | undefined;
  readonly content: string;
}

/** Observes the receiver under a set of answers over HTTP. */
export async function observeReceiver(answers: Answers): Promise<Observations> {
  const settings = {
    ACCESS_TOKENS: TOKENS.join(','),
    ...(answers.signing !== undefined && { SIGNING_KEYS: SIGNING_KEY }),
  };
  const receiver = await startReceiver(answers, makeFolder(afterThisFile), settings);
  try {
    return { ...(await observeResponses(receiver)), ...(await observeStart(answers)) };
  } finally {
    await receiver.stop();
  }
}

async function observeResponses(receiver: Receiver): Promise<Observations> {
  const tokens = TOKENS.values();
  const example = (content?: string): ExampleDelivery => {
    const token = tokens.next().value as string;
    return exampleDelivery(token, `event-of-${token}`, content);
  };
  const send = (delivery: ExampleDelivery): Promise<Response> =>
    sendTo(receiver.origin + facts.DELIVERY_PATH, delivery);

  const accepted = await send(example());
  const outcome = ({ status }: Response): string =>
    status === accepted.status ? 'accepted' : `refused with ${status}`;
  const seen: Record<string, string> = { 'as agreed': inWords(accepted) };
  for (const [name, vary] of Object.entries(VARIATIONS)) seen[name] = outcome(await send(vary(example())));
  for (const [name, content] of Object.entries(CONTENTS)) seen[name] = outcome(await send(example(content)));

  const same = example();
  const before = countDeliveries(receiver);
  await send(same);
  await send(same);
  seen['sent twice'] = `${countDeliveries(receiver) - before} kept`;

  const token = tokens.next().value as string;
  let last = accepted;
  for (let count = 1; count <= MANY; count += 1) last = await send(exampleDelivery(token, `quick-${count}`));
  seen[`after ${MANY - 1} others`] = outcome(last);

  seen['without a token'] = inWords(await send(withoutField(example(), 'authorization')));
  seen['with a wrong token'] = inWords(
    await send(withField(example(), 'authorization', 'Bearer example-wrong')),
  );
  return seen;
}

/** Whether a receiver would start with settings that only an answer, or only an open question, allows. */
async function observeStart(answers: Answers): Promise<Observations> {
  const settings = { ACCESS_TOKENS: 'other', MAX_CONTENT_BYTES: '500', REQUEST_TIMEOUT_MS: '500' };
  const name = 'started with other settings';
  try {
    await configure(answers, settings);
    return { [name]: 'listens' };
  } catch (error) {
    const lines = (error as Error).message.matchAll(/^ {2}([A-Z_]+):/gm);
    const refused = [...new Set(Array.from(lines, ([, setting]) => setting))].sort();
    if (refused.length === 0) throw error;
    return { [name]: `refuses ${refused.join(', ')}` };
  }
}

/** Sends a delivery over its own connection. */
function sendTo(url: string, { method, headers, content }: ExampleDelivery): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(content)) },
      agent: false,
    });
    outgoing.once('error', reject).once('response', (response) => {
      text(response).then((received) => {
        resolve({
          status: response.statusCode ?? 0,
          challenge: response.headers['www-authenticate'],
          mediaType: response.headers['content-type'],
          content: received,
        });
      }, reject);
    });
    outgoing.end(content);
  });
}

function countDeliveries({ inbox }: Receiver): number {
  const database = new DatabaseSync(inbox, { readOnly: true });
  try {
    return (database.prepare('SELECT count(*) AS count FROM delivery').get() as { count: number }).count;
  } finally {
    database.close();
  }
}

function inWords({ status, challenge, mediaType, content }: Response): string {
  return [`${status}`, challenge, mediaType, content].filter(Boolean).join(' · ');
}

function withField(delivery: ExampleDelivery, name: string, value: string): ExampleDelivery {
  return { ...delivery, headers: { ...delivery.headers, [name]: value } };
}

function withoutField(delivery: ExampleDelivery, name: string): ExampleDelivery {
  const headers = Object.entries(delivery.headers).filter(([field]) => field !== name);
  return { ...delivery, headers: Object.fromEntries(headers) };
}
