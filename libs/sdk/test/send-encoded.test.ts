import type { AnswerValues } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import type { EncodedPlant } from '../src/index.js';
import { acknowledge, fieldsOf, inTurn, respond, startRawServer } from './support/raw-server.js';
import { arbitrary, openSenderUnder, openTestSender, rejection, required } from './support/senders.js';

const content = Buffer.from(arbitrary);

test('sendEncoded sends the same bytes and the same media type in each attempt, without `encode`', async () => {
  const server = await startRawServer(inTurn(respond(503), acknowledge));
  const encode = (): never => {
    throw new Error('sendEncoded must not encode.');
  };
  const retry = { delays: [0], statuses: [503], withoutResponse: false };
  const sender = openTestSender({ baseUrl: server.url, encode, retry });

  expect(await sender.sendEncoded({ content, mediaType: 'text/plain' })).toMatchObject({ status: 204 });

  expect(server.requests).toMatchObject([{ content }, { content }]);
  for (const request of server.requests) expect(fieldsOf(request)['content-type']).toBe('text/plain');
});

test('sendEncoded needs the identifier of the event, and no fields of it, which are in the content', async () => {
  const server = await startRawServer(acknowledge);
  const given = {
    'event-identity': { header: 'example-id' },
    'event-payload-fields': exampleAnswers['event-payload-fields'],
  } as const satisfies AnswerValues;
  const sender = openSenderUnder(given, { ...required, baseUrl: server.url });

  await sender.sendEncoded({ content, eventId: 'example-1' });

  expect(fieldsOf(await server.request(0))['example-id']).toBe('example-1');
  expect(await rejection(sender.sendEncoded({ content }))).toMatchObject({
    code: 'PLANT_STORE_INVALID_OPTIONS',
    message: expect.stringContaining('`eventId` is missing') as string,
  });
});

test.each<[unknown, string]>([
  [{ content: new Uint8Array() }, 'PLANT_STORE_ENCODE_FAILED'],
  [{ content, mediaType: 'text' }, 'PLANT_STORE_ENCODE_FAILED'],
  [{ content: new Uint8Array(1_001) }, 'PLANT_STORE_CONTENT_TOO_LARGE'],
  ...[undefined, null, {}, Promise.resolve({ content })].map((none): [unknown, string] => [
    none,
    'PLANT_STORE_ENCODE_FAILED',
  ]),
])('sendEncoded sends nothing for %p', async (encoded, code) => {
  const server = await startRawServer(acknowledge);
  const sender = openSenderUnder({ 'size-limits': 1_000 }, { ...required, baseUrl: server.url });

  expect(await rejection(sender.sendEncoded(encoded as EncodedPlant))).toMatchObject({
    code,
    outcome: 'not-sent',
  });
  expect(server.requests).toEqual([]);
});

test.each(['content', 'mediaType', 'eventId'])('sendEncoded sends nothing if %s throws', async (name) => {
  const cause = new Error('arbitrary');
  const get = (): never => {
    throw cause;
  };
  const server = await startRawServer(acknowledge);
  const sender = openTestSender({ baseUrl: server.url });
  const encoded = Object.defineProperty({ content }, name, { get });

  expect(await rejection(sender.sendEncoded(encoded))).toMatchObject({
    code: 'PLANT_STORE_ENCODE_FAILED',
    outcome: 'not-sent',
    cause,
  });
  expect(server.requests).toEqual([]);
});
