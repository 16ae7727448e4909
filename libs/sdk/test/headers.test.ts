/** Header fields that a caller adds: with the `headers` function for all deliveries, or for one. */
import { bytes, type HeaderFields, type HeaderHook, type OutgoingRequest } from '../src/index.js';
import { acknowledge, type RawRequest, respondWith, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, openSenderUnder, openTestSender, rejection } from './support/senders.js';

const cause = new Error('arbitrary');
const throwing = (): never => {
  throw cause;
};
const throwingGetter = Object.defineProperty({}, 'x-arbitrary', { get: throwing, enumerable: true });

/** The fields of a request that aren't always there. */
function addedFields({ headers }: RawRequest): string[] {
  return headers.filter((line) => /^x-/i.test(line));
}

const kinds: [string, () => HeaderFields][] = [
  ['a record', () => ({ 'X-One': '1', 'x-two': '2' })],
  ['a Headers', () => new Headers({ 'X-One': '1', 'x-two': '2' })],
  ['a Map', () => new Map(Object.entries({ 'X-One': '1', 'x-two': '2' }))],
  ['pairs', () => [['X-One', '1'] as const, ['x-two', '2'] as const]],
  ['a generator', () => Object.entries({ 'X-One': '1', 'x-two': '2' }).values()],
];

const wrong: [string, unknown][] = [
  ['null', null],
  ['text', 'x-one: 1'],
  ['a number', 1],
  ['a function', () => ({})],
  ['a list of names and values', ['x-one', '1']],
  ['pairs with a third part', [['x-one', '1', '2']]],
  ['a record with a number', { 'x-one': 1 }],
  ['a Map with a number', new Map([['x-one', 1]])],
  ['a name that is no name', [[1, '1']]],
  ['a getter that throws', throwingGetter],
  ['an iterator that throws', { [Symbol.iterator]: throwing }],
];

describe('the headers function', () => {
  test.each([
    ...kinds,
    ...kinds.map(([name, make]) => [`a promise of ${name}`, async () => make()] as const),
  ])('may return %s', async (_, headers) => {
    const server = await startRawServer(acknowledge);

    await openTestSender({ baseUrl: server.url, headers }).send(arbitrary);

    const added = addedFields(await server.request(0));
    expect(added.map((line) => line.toLowerCase())).toEqual(['x-one: 1', 'x-two: 2']);
  });

  test.each([
    ['nothing', undefined],
    ...wrong,
    ['a promise of nothing', Promise.resolve(undefined)],
    ['a promise of text', Promise.resolve('x-one: 1')],
  ])('must not return %s', async (_, headers) => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url, headers: () => headers as HeaderFields });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_HEADERS_FAILED',
      outcome: 'not-sent',
    });
    await sender.close();
    expect(server.requests).toEqual([]);
  });

  test.each<[string, HeaderHook]>([
    ['throws', throwing],
    ['rejects', () => Promise.reject(cause)],
    ['returns a thenable that throws', () => ({ then: throwing }) as never],
    ['returns a getter that throws', () => throwingGetter],
    ['returns a `then` that throws', () => Object.defineProperty({}, 'then', { get: throwing })],
  ])('that %s: the delivery fails with the cause, and the process goes on', async (_, headers) => {
    const baseUrl = 'http://127.0.0.1:9';
    const senders = [accessToken, async () => accessToken].map((token) =>
      openTestSender({ baseUrl, headers, accessToken: token }),
    );

    const failed = { code: 'PLANT_STORE_HEADERS_FAILED', outcome: 'not-sent', cause };
    for (const sender of senders) expect(await rejection(sender.send(arbitrary))).toMatchObject(failed);
  });

  test('that rejects after the delivery was aborted: nothing is sent, and the process goes on', async () => {
    const server = await startRawServer(acknowledge);
    let reject!: (error: Error) => void;
    let resolve!: (fields: HeaderFields) => void;
    const hooks: HeaderHook[] = [
      () => new Promise((_, fail) => (reject = fail)),
      () => new Promise((succeed) => (resolve = succeed)),
      () => ({}),
      () => ({}),
    ];
    const headers: HeaderHook = (request) => hooks.shift()!(request);
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1, headers });

    for (const end of [() => reject(cause), () => resolve({})]) {
      const controller = new AbortController();
      const sent = rejection(sender.send(arbitrary, { signal: controller.signal }));
      controller.abort();
      expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' });
      end();
    }

    for (const content of ['next', 'last']) await sender.send(content);
    expect(server.requests.map(({ content }) => content.toString())).toEqual(['next', 'last']);
  });

  test('that does not come back is ended by attemptTimeout', async () => {
    const server = await startRawServer(acknowledge);
    const headers: HeaderHook = () => new Promise(() => {});
    const sender = openTestSender({ baseUrl: server.url, headers, attemptTimeout: 50 });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ATTEMPT_TIMEOUT',
      outcome: 'not-sent',
    });
  });

  test('sees the number of the attempt', async () => {
    const unavailable = 'HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n';
    const server = await startRawServer((request, index) =>
      index < 2 ? respondWith(unavailable)(request) : acknowledge(request),
    );
    const sender = openTestSender({
      baseUrl: server.url,
      retry: { delays: [1, 1], statuses: [503], withoutResponse: false },
      headers: async ({ attempt }) => ({ 'x-attempt': String(attempt) }),
    });

    await sender.send(arbitrary);

    expect(server.requests.map(addedFields)).toEqual([['x-attempt: 1'], ['x-attempt: 2'], ['x-attempt: 3']]);
  });
});

describe('the headers of one delivery', () => {
  test.each(kinds)('may be %s', async (_, headers) => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1 });

    await sender.send(arbitrary, { headers: headers() });
    await sender.send(arbitrary);

    const [first, second] = server.requests.map(addedFields);
    expect(first!.map((line) => line.toLowerCase())).toEqual(['x-one: 1', 'x-two: 2']);
    expect(second).toEqual([]);
  });

  test.each<[string, unknown]>([
    ...wrong,
    ['a promise', Promise.resolve({ 'x-one': '1' })],
    ['a reserved field', { Authorization: 'x' }],
    ['a field of the connection', { connection: 'close' }],
    ['a value with a line break', { 'x-one': '1\r\nx-two: 2' }],
  ])('must not be %s', async (_, headers) => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url });

    const error = await rejection(sender.send(arbitrary, { headers: headers as HeaderFields }));

    expect(error).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      outcome: 'not-sent',
      faults: [{ option: 'headers' }],
    });
    await sender.close();
    expect(server.requests).toEqual([]);
  });

  test('must not be a promise that rejects; the process goes on', async () => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' });
    const headers = Promise.reject(cause) as unknown as HeaderFields;

    expect(await rejection(sender.send(arbitrary, { headers }))).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
    });
  });

  test('must not have a field that an answer sets', async () => {
    const given = { 'request-versioning': { header: 'Example-Version', value: '1' } } as const;
    const sender = openSenderUnder(given, {
      baseUrl: 'http://127.0.0.1:9',
      accessToken,
      method: 'POST',
      encode: bytes(),
    });

    const error = await rejection(sender.send(arbitrary, { headers: { 'example-version': '2' } }));

    expect(error).toMatchObject({ code: 'PLANT_STORE_INVALID_OPTIONS', faults: [{ option: 'headers' }] });
  });

  test.each<[string, HeaderHook]>([
    ['', () => ({ 'X-Both': 'hook', 'x-hook': '1', 'x-own': 'hook' })],
    ['asynchronous ', async () => ({ 'X-Both': 'hook', 'x-hook': '1', 'x-own': 'hook' })],
  ])('win over those of the %sheaders function', async (_, headers) => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url, headers });

    await sender.send(arbitrary, { headers: { 'x-both': 'delivery', 'X-Own': '1' } });

    expect(addedFields(await server.request(0))).toEqual(['x-both: delivery', 'X-Own: 1', 'x-hook: 1']);
  });

  test('are the same in each attempt, and are read once', async () => {
    const server = await startRawServer((request, index) =>
      index === 0 ? void request.socket.destroy() : acknowledge(request),
    );
    const retry = { delays: [1], statuses: [], withoutResponse: true };
    const sender = openTestSender({ baseUrl: server.url, retry });
    const headers = { 'x-own': '1' };

    const sent = sender.send(arbitrary, { headers });
    headers['x-own'] = '2';
    await sent;

    expect(server.requests.map(addedFields)).toEqual([['x-own: 1'], ['x-own: 1']]);
  });
});

test('a request that is about to be sent has these properties', async () => {
  const server = await startRawServer(acknowledge);
  const seen: OutgoingRequest[] = [];
  const sender = openTestSender({
    baseUrl: server.url,
    headers: (request) => {
      seen.push(request);
      return {};
    },
  });

  await sender.send(arbitrary, { headers: { 'x-own': '1' } });

  const content = Buffer.from(arbitrary);
  expect(seen).toEqual([{ method: 'POST', url: `${server.url}/plant/webhook`, content, attempt: 1 }]);
});
