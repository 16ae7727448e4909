import type { Answers } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { bytes, type EncodedPlant, InvalidOptionsError } from '../src/index.js';
import { acknowledge, respondWith, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, openSenderUnder, openTestSender, rejection } from './support/senders.js';

const content = Buffer.from(arbitrary);

function refuseToEncode(): never {
  throw new Error('sendEncoded must not encode.');
}

describe('sendEncoded', () => {
  test('sends the bytes and the media type that were fixed before, without `encode`', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url, encode: refuseToEncode });

    const { status } = await sender.sendEncoded({ content, mediaType: 'text/plain' });

    expect(status).toBe(204);
    const request = await server.request(0);
    expect(request.content).toEqual(content);
    expect(request.headers).toContain('content-type: text/plain');
  });

  test('sends the identifier of the event, and needs one once the question is answered', async () => {
    const server = await startRawServer(acknowledge);
    const given = { 'event-identity': { header: 'example-id' } } as const satisfies Answers;
    const options = { baseUrl: server.url, accessToken, method: 'POST', encode: bytes() } as const;
    const sender = openSenderUnder(given, options);

    await sender.sendEncoded({ content, eventId: 'example-1' });

    expect((await server.request(0)).headers).toContain('example-id: example-1');
    const error = await rejection(sender.sendEncoded({ content }));
    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect(error.message).toContain('`eventId` is missing');
  });

  test('needs no fields of the event, which are in the content', async () => {
    const server = await startRawServer(acknowledge);
    const { 'event-payload-fields': eventFields } = exampleAnswers;
    const given = { 'event-payload-fields': eventFields } as Answers;
    const options = { baseUrl: server.url, accessToken, method: 'POST', encode: bytes() } as const;

    await openSenderUnder(given, options as never).sendEncoded({ content });

    expect((await server.request(0)).content).toEqual(content);
  });

  test.each([
    ['empty content', { content: new Uint8Array() }, 'PLANT_STORE_ENCODE_FAILED'],
    ['an invalid media type', { content, mediaType: 'text' }, 'PLANT_STORE_ENCODE_FAILED'],
    ['more content than is answered', { content: new Uint8Array(1_001) }, 'PLANT_STORE_CONTENT_TOO_LARGE'],
  ] as [string, EncodedPlant, string][])('sends nothing for %s', async (_case, encoded, code) => {
    const server = await startRawServer(acknowledge);
    const options = { baseUrl: server.url, accessToken, method: 'POST', encode: bytes() } as const;
    const sender = openSenderUnder({ 'size-limits': 1_000 }, options);

    expect(await rejection(sender.sendEncoded(encoded))).toMatchObject({ code, outcome: 'not-sent' });
    expect(server.requests).toEqual([]);
  });

  test.each<unknown>([undefined, null, {}, Promise.resolve({ content })])('refuses %p', async (encoded) => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' });

    const error = await rejection(sender.sendEncoded(encoded as EncodedPlant));

    expect(error).toMatchObject({ code: 'PLANT_STORE_ENCODE_FAILED', outcome: 'not-sent' });
    expect(error.message).toMatch(/encoded plant must be|must not be a promise/);
  });

  test('has the attempts of the retry policy, and sends the same bytes in each', async () => {
    const server = await startRawServer((request, index) =>
      index === 0 ? respondWith('HTTP/1.1 503 \r\ncontent-length: 0\r\n\r\n')(request) : acknowledge(request),
    );
    const retry = { delays: [0], statuses: [503], withoutResponse: false };

    await openTestSender({ baseUrl: server.url, retry }).sendEncoded({ content });

    expect(server.requests.map((request) => request.content)).toEqual([content, content]);
  });

  test('rejects after close', async () => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:1' });
    await sender.close();

    expect(await rejection(sender.sendEncoded({ content }))).toMatchObject({
      code: 'PLANT_STORE_SENDER_CLOSED',
    });
  });
});
