/** Header fields that a caller adds: with the `headers` function for all deliveries, or for one. */
import { RESERVED_FIELDS } from '@plant-store/contract';
import { bytes, type HeaderFields, type HeaderHook } from '../src/index.js';
import { acknowledge, breakOff, inTurn, type RawRequest, startRawServer } from './support/raw-server.js';
import {
  accessToken,
  arbitrary,
  arrived,
  openTestSender,
  rejection,
  unsent,
  openBoth,
} from './support/senders.js';

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

/** What neither the function may return nor a delivery may have. */
const wrong: [string, unknown][] = [
  ['null', null],
  ['text', 'x-one: 1'],
  ['a number', 1],
  ['a function', () => ({})],
  ['a list of names and values', ['x-one', '1']],
  ['pairs with a third part', [['x-one', '1', '2']]],
  ['a record with a number', { 'x-one': 1 }],
  ['a Map with a number', new Map([['x-one', 1]])],
  ['a name that is no text', [[1, '1']]],
  ['a name with spaces', { 'not a name': 'x' }],
  ['a value with a line break', { 'x-one': '1\r\nx-two: 2' }],
  ['a getter that throws', throwingGetter],
  ['an iterator that throws', { [Symbol.iterator]: throwing }],
  ...[...RESERVED_FIELDS, 'Authorization', 'Content-Encoding'].map((name): [string, unknown] => [
    `the reserved field ${name}`,
    { [name]: 'x' },
  ]),
];

describe('the headers function', () => {
  test.each([
    ...kinds,
    ...kinds.map(([name, make]) => [`a promise of ${name}`, async () => make()] as const),
  ])('may return %s', async (_, headers) => {
    const added = addedFields(await arrived({ options: { headers } }));
    expect(added.map((line) => line.toLowerCase())).toEqual(['x-one: 1', 'x-two: 2']);
  });

  test.each(['Accept', 'Set-Cookie', 'Cookie', 'Digest'])(
    'may return %s, which neither frames nor describes the request',
    async (name) => {
      const { headers } = await arrived({ options: { headers: () => ({ [name]: 'x' }) } });
      expect(headers).toContain(`${name}: x`);
    },
  );

  test.each([
    ['nothing', undefined],
    ...wrong,
    ['a promise of nothing', Promise.resolve(undefined)],
    ['a promise of text', Promise.resolve('x-one: 1')],
  ])('must not return %s', async (_, headers) => {
    const { code } = await unsent({ options: { headers: () => headers } });
    expect(code).toBe('PLANT_STORE_HEADERS_FAILED');
  });

  test.each<[string, HeaderHook]>([
    ['throws', throwing],
    ['rejects', () => Promise.reject(cause)],
    ['returns a thenable that throws', () => ({ then: throwing }) as never],
    ['returns a getter that throws', () => throwingGetter],
    ['returns a `then` that throws', () => Object.defineProperty({}, 'then', { get: throwing })],
  ])('that %s: the delivery fails with the cause, and the process goes on', async (_, headers) => {
    for (const token of [accessToken, async () => accessToken]) {
      const error = await unsent({ options: { headers, accessToken: token } });
      expect(error).toMatchObject({ code: 'PLANT_STORE_HEADERS_FAILED', cause });
    }
  });

  test('that rejects after the delivery was aborted: nothing is sent, and the process goes on', async () => {
    const server = await startRawServer(acknowledge);
    let reject!: (error: Error) => void;
    let resolve!: (fields: HeaderFields) => void;
    const hooks: HeaderHook[] = [
      () => new Promise((_, fail) => (reject = fail)),
      () => new Promise((succeed) => (resolve = succeed)),
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

    await sender.send('next');
    expect(server.requests.map(({ content }) => content.toString())).toEqual(['next']);
  });

  test('that does not come back is ended by attemptTimeout', async () => {
    const headers: HeaderHook = () => new Promise(() => {});
    const { code } = await unsent({ options: { headers, attemptTimeout: 50 } });
    expect(code).toBe('PLANT_STORE_ATTEMPT_TIMEOUT');
  });

  test('gets what will be sent, without the fields that were added', async () => {
    const seen: unknown[] = [];
    const headers: HeaderHook = (request) => (seen.push(request), {});

    const { headers: sent } = await arrived({
      options: { headers, encode: bytes('text/plain') },
      sendOptions: { headers: { 'x-own': '1' } },
    });

    const url = `http://${sent[0]!.replace('host: ', '')}/plant/webhook`;
    const content = Buffer.from(arbitrary);
    expect(seen).toEqual([{ method: 'POST', url, content, mediaType: 'text/plain', attempt: 1 }]);
  });
});

describe('the headers of one delivery', () => {
  test.each(kinds)('may be %s', async (_, headers) => {
    const { server, sender } = await openBoth(acknowledge);

    await sender.send(arbitrary, { headers: headers() });
    await sender.send(arbitrary);

    const [first, second] = server.requests.map(addedFields);
    expect(first!.map((line) => line.toLowerCase())).toEqual(['x-one: 1', 'x-two: 2']);
    expect(second).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ...wrong.map(([name, value]): [string, () => unknown] => [name, () => value]),
    ['a promise', () => Promise.resolve({ 'x-one': '1' })],
    ['a promise that rejects', () => Promise.reject(cause)],
  ])('must not be %s', async (_, headers) => {
    expect(await unsent({ sendOptions: { headers: headers() } })).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      faults: [{ option: 'headers' }],
    });
  });

  test('must not have a field that an answer sets', async () => {
    const given = { 'request-versioning': { header: 'Example-Version', value: '1' } } as const;
    expect(await unsent({ given, sendOptions: { headers: { 'example-version': '2' } } })).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      faults: [{ option: 'headers' }],
    });
  });

  test.each<[string, HeaderHook]>([
    ['', () => ({ 'X-Both': 'hook', 'x-hook': '1', 'x-own': 'hook' })],
    ['asynchronous ', async () => ({ 'X-Both': 'hook', 'x-hook': '1', 'x-own': 'hook' })],
  ])('win over those of the %sheaders function', async (_, headers) => {
    const own = { 'x-both': 'delivery', 'X-Own': '1' };
    const request = await arrived({ options: { headers }, sendOptions: { headers: own } });
    expect(addedFields(request)).toEqual(['x-both: delivery', 'X-Own: 1', 'x-hook: 1']);
  });

  test('are the same in each attempt, and are read once', async () => {
    const server = await startRawServer(inTurn(breakOff, acknowledge));
    const retry = { delays: [1], statuses: [], withoutResponse: true };
    const headers = { 'x-own': '1' };

    const sent = openTestSender({ baseUrl: server.url, retry }).send(arbitrary, { headers });
    headers['x-own'] = '2';
    await sent;

    expect(server.requests.map(addedFields)).toEqual([['x-own: 1'], ['x-own: 1']]);
  });
});
