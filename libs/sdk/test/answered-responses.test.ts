/** What the answers about responses change: which status acknowledges a delivery, and what the others mean. */
import type { AnswerValues } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { inspect } from 'node:util';
import { bytes, type NotAcknowledgedError } from '../src/index.js';
import { respondWith, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, openSenderUnder, openTestSender, rejection } from './support/senders.js';

const options = { accessToken, method: 'POST', encode: bytes() } as const;

function response(status: number, content: string | Uint8Array = '', mediaType?: string): Buffer {
  const type = mediaType === undefined ? '' : `Content-Type: ${mediaType}\r\n`;
  const head = `HTTP/1.1 ${status} Arbitrary\r\n${type}Content-Length: ${Buffer.byteLength(content)}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content as string)]);
}

describe('an answered response', () => {
  const given = {
    'receiver-response': { status: 202, description: 'Taken.' },
  } as const satisfies AnswerValues;

  test('with that status acknowledges the delivery', async () => {
    const { url } = await startRawServer(respondWith(response(202)));
    const sender = openSenderUnder(given, { ...options, baseUrl: url });

    const { status } = await sender.send(arbitrary);

    const literal: 202 = status;
    expect(literal).toBe(202);
  });

  test.each([200, 201, 204, 299, 302, 400, 500])(
    'with %i does not acknowledge the delivery',
    async (status) => {
      const { url } = await startRawServer(respondWith(response(status)));
      const sender = openSenderUnder(given, { ...options, baseUrl: url });

      expect(await rejection(sender.send(arbitrary))).toMatchObject({
        code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
        outcome: 'responded',
        status,
      });
    },
  );
});

async function refusal(given: AnswerValues, bytesOfResponse: Uint8Array): Promise<NotAcknowledgedError> {
  const { url } = await startRawServer(respondWith(bytesOfResponse));
  const all = { ...options, baseUrl: url } as unknown as Parameters<typeof openSenderUnder<AnswerValues>>[1];
  const sender = openSenderUnder<AnswerValues>(given, all);
  return (await rejection(
    (sender.send as (content: string) => Promise<unknown>)(arbitrary),
  )) as NotAcknowledgedError;
}

describe('the failure of an unsuccessful response', () => {
  const { 'error-codes': codes, 'error-payloads': payloads, 'status-codes': statuses } = exampleAnswers;
  const all = { 'error-codes': codes, 'error-payloads': payloads, 'status-codes': statuses };
  const { mediaType } = payloads;

  test.each([
    ['a code', 400, '{"code":"EXAMPLE_PLANT"}', 'content-invalid'],
    ['a code of another status', 409, '{"code":"EXAMPLE_RATE"}', 'rate-exceeded'],
    ['an answered status without a code', 413, '{"title":"any"}', 'content-too-large'],
    ['an answered status with an unknown code', 409, '{"code":"OTHER"}', 'content-invalid'],
    ['an unknown code', 400, '{"code":"OTHER"}', undefined],
    ['a code that is not text', 400, '{"code":1}', undefined],
    ['a code in another place', 400, '{"other":{"code":"EXAMPLE_PLANT"}}', undefined],
    ['a status that was not answered', 503, '{}', undefined],
    ['no object', 400, '"EXAMPLE_PLANT"', undefined],
    ['a list', 400, '["EXAMPLE_PLANT"]', undefined],
    ['null', 400, 'null', undefined],
    ['the name of something that every object has', 400, '{"code":"constructor"}', undefined],
  ])('is found with %s', async (_, status, content, failure) => {
    const error = await refusal(all, response(status, content, mediaType));

    expect(error).toMatchObject({ code: 'PLANT_STORE_NOT_ACKNOWLEDGED', outcome: 'responded', status });
    expect(error.failure).toBe(failure);
    expect('failure' in error).toBe(failure !== undefined);
    expect(error.payload).toEqual(JSON.parse(content));
  });

  test.each([
    ['of another media type', '{"code":"EXAMPLE_PLANT"}', 'application/json'],
    ['without a media type', '{"code":"EXAMPLE_PLANT"}', undefined],
    ['that is not JSON', '{"code":"EXAMPLE_PLANT"', mediaType],
    ['that is empty', '', mediaType],
    ['that is not text', Uint8Array.of(0, 255, 254, 128), mediaType],
    ['with a media type of several lines', '{}', `${mediaType}\r\nContent-Type: ${mediaType}`],
  ])('comes from the status if the content is %s', async (_, content, type) => {
    const error = await refusal(all, response(409, content, type));

    expect(error.payload).toBeUndefined();
    expect(error.failure).toBe('content-invalid');
    expect(Buffer.from(error.content)).toEqual(Buffer.from(content as string));
  });

  test('is found if the media type has parameters and capitals', async () => {
    const error = await refusal(all, response(400, '{"a":1}', 'Application/Problem+JSON; charset=utf-8'));

    expect(error.payload).toEqual({ a: 1 });
  });

  test('comes from the status if the content is truncated', async () => {
    const cut =
      'HTTP/1.1 409 Arbitrary\r\nContent-Type: application/problem+json\r\nContent-Length: 9\r\n\r\n{}';
    const { url } = await startRawServer(({ socket }) => socket.end(cut));
    const sender = openSenderUnder(all, { ...options, baseUrl: url });

    const error = (await rejection(sender.send(arbitrary))) as NotAcknowledgedError;

    expect(error).toMatchObject({ truncated: true, failure: 'content-invalid' });
    expect(error.payload).toBeUndefined();
  });

  test('the payload is in no printed or serialised form of the error', async () => {
    const error = await refusal(all, response(400, '{"echo":"s3cret"}', mediaType));

    expect(error.payload).toEqual({ echo: 's3cret' });
    expect(inspect(error, { depth: 20 }) + JSON.stringify(error)).not.toContain('s3cret');
  });

  test.each<[string, AnswerValues, number, string | undefined]>([
    ['codes without payloads', { 'error-codes': codes }, 400, undefined],
    ['payloads without codes', { 'error-payloads': payloads }, 400, undefined],
    ['statuses alone', { 'status-codes': statuses }, 409, 'content-invalid'],
    [
      'a status that a standard gives another failure',
      { 'status-codes': { unavailable: { status: 404, description: 'Example.' } } },
      404,
      undefined,
    ],
    [
      'a status that a standard settles, described',
      { 'status-codes': { 'path-unknown': { description: 'Example.' } } },
      404,
      'path-unknown',
    ],
    [
      'a settled status of two failures, described',
      { 'status-codes': { 'token-invalid': { description: 'Example.' } } },
      401,
      undefined,
    ],
    [
      'a status of two answered failures',
      {
        'status-codes': {
          unavailable: { status: 599, description: 'Example.' },
          'rate-exceeded': { status: 599, description: 'Example.' },
        },
      },
      599,
      undefined,
    ],
    [
      'a code of two failures',
      { 'error-payloads': payloads, 'error-codes': { unavailable: 'A', 'rate-exceeded': 'A' } },
      500,
      undefined,
    ],
  ])('with %s', async (_, given, status, failure) => {
    const error = await refusal(given, response(status, '{"code":"A"}', mediaType));

    expect(error.failure).toBe(failure);
    expect(error.payload).toEqual('error-payloads' in given ? { code: 'A' } : undefined);
  });

  test('is known from an answered 504, but not whether the receiver or a gateway sent it', async () => {
    const given = { 'status-codes': { unavailable: { status: 504, description: 'Example.' } } };

    expect(await refusal(given, response(504))).toMatchObject({ failure: 'unavailable', outcome: 'unknown' });
  });

  test('is unknown while everything is open', async () => {
    const { url } = await startRawServer(respondWith(response(409, '{"code":"EXAMPLE_PLANT"}', mediaType)));

    const error = (await rejection(openTestSender({ baseUrl: url }).send(arbitrary))) as NotAcknowledgedError;

    expect('failure' in error).toBe(false);
    expect(error.payload).toBeUndefined();
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      outcome: 'responded',
      status: 409,
    });
  });
});
