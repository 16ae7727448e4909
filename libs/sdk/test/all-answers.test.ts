/** A sender with an answer to every question of the register. */
import { exampleAnswers } from '@plant-store/example-answers';
import { Webhook } from 'standardwebhooks';
import { respondWith, fieldsOf, type RawServer, startRawServer } from './support/raw-server.js';
import { openSenderUnder, rejection } from './support/senders.js';

const accessToken = 'example-token';
const signingKey = 'whsec_YW4gZXhhbXBsZSBrZXkgb2YgMzIgYnl0ZXMgaGVyZSE=';
const plant = { name: 'example' };
const event = { addedOn: '2026-01-31' };
const eventId = 'example-1';
const content = '{"addedOn":"2026-01-31","plant":{"name":"example"}}';

const taken = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"taken":true}';
const unavailable = 'HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n';
const refusal = '{"status":409,"title":"The plant is not as agreed.","code":"EXAMPLE_PLANT"}';
const refused =
  'HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\n' +
  `Content-Length: ${refusal.length}\r\n\r\n${refusal}`;

function open({ url }: RawServer) {
  const given = { ...exampleAnswers, 'base-address': url } as const;
  return openSenderUnder(given, { accessToken, signingKey });
}

test('every attempt is sent as all answers together say', async () => {
  const server = await startRawServer((request, index) =>
    respondWith(index === 0 ? unavailable : taken)(request),
  );

  const acknowledgement = await open(server).send(plant, { event, eventId });

  const status: 200 = acknowledgement.status;
  expect(status).toBe(200);
  expect(Buffer.from(acknowledgement.content).toString()).toBe('{"taken":true}');
  expect(server.requests).toHaveLength(2);
  for (const request of server.requests) {
    expect(request.line).toBe('PUT /plant/webhook HTTP/1.1');
    expect(request.content.toString()).toBe(content);
    expect(request.headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      `authorization: Bearer ${accessToken}`,
      'content-type: application/json',
      'plant-store-version: 1.0.0',
      `webhook-id: ${eventId}`,
      expect.stringMatching(/^webhook-timestamp: \d+$/),
      expect.stringMatching(/^webhook-signature: v1,/),
      `content-length: ${content.length}`,
    ]);
    expect(() => new Webhook(signingKey).verify(content, fieldsOf(request))).not.toThrow();
  }
});

test('a refusal has the failure and the payload', async () => {
  const server = await startRawServer(respondWith(refused));

  expect(await rejection(open(server).send(plant, { event, eventId }))).toMatchObject({
    code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
    outcome: 'responded',
    failure: 'content-invalid',
    payload: { status: 409, title: 'The plant is not as agreed.', code: 'EXAMPLE_PLANT' },
    attempts: 1,
  });
});

test('each delivery has its event and its header fields', async () => {
  const server = await startRawServer(respondWith(taken));

  const sender = open(server);
  for (const index of [0, 1]) {
    const options = { event, eventId: `example-${index}`, headers: { 'example-index': `${index}` } };
    const { status }: { status: 200 } = await sender.send(plant, options);
    expect(status).toBe(200);
  }

  const sent = server.requests.map((request) => [
    fieldsOf(request)['webhook-id'],
    fieldsOf(request)['example-index'],
    request.content.toString(),
  ]);
  expect(sent).toEqual([
    ['example-0', '0', content],
    ['example-1', '1', content],
  ]);
  for (const request of server.requests) {
    expect(() => new Webhook(signingKey).verify(content, fieldsOf(request))).not.toThrow();
  }
});
