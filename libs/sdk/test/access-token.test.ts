import { inspect } from 'node:util';
import { createSenderUnder } from '../src/new-plant-sender.js';
import { bytes, InvalidOptionsError } from '../src/index.js';
import { useClocksThatRunOut } from './support/clocks.js';
import { acknowledge, respondWith, startRawServer, staySilent } from './support/raw-server.js';
import { accessToken, arbitrary, openTestSender, rejection } from './support/senders.js';

/** Every text and every content that can be reached from a value, hidden properties and causes included. */
function everyTextIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  const printed = inspect(value, { depth: 20, showHidden: true });
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1')];
  const properties = Reflect.ownKeys(value).map((key) => Reflect.get(value, key) as unknown);
  return [printed, ...properties.flatMap((property) => everyTextIn(property, seen))];
}

describe('an accessToken function', () => {
  test('is called once for each delivery', async () => {
    const server = await startRawServer(acknowledge);
    let calls = 0;
    const sender = openTestSender({
      baseUrl: server.url,
      accessToken: () => Promise.resolve(`token${(calls += 1)}`),
    });

    await sender.send(arbitrary);
    await sender.send(arbitrary);

    expect(server.requests.map(({ headers }) => headers[2])).toEqual([
      'authorization: Bearer token1',
      'authorization: Bearer token2',
    ]);
    expect(calls).toBe(2);
  });

  test('may return the token without a promise', async () => {
    const server = await startRawServer(acknowledge);

    await openTestSender({ baseUrl: server.url, accessToken: () => 'token' }).send(arbitrary);

    expect((await server.request(0)).headers).toContain('authorization: Bearer token');
  });

  test('that never resolves: totalTimeout ends the wait, and its signal is aborted', async () => {
    let inner: AbortSignal | undefined;
    const sender = openTestSender({
      baseUrl: 'http://127.0.0.1:9',
      totalTimeout: 50,
      attemptTimeout: 10,
      accessToken: ({ signal }) => {
        inner = signal;
        return new Promise<string>(() => {});
      },
    });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_TOTAL_TIMEOUT',
      outcome: 'not-sent',
    });
    expect(inner!.aborted).toBe(true);
  });

  test('that resolves in time: attemptTimeout starts after it', async () => {
    const server = await startRawServer(staySilent);
    const sender = openTestSender({
      baseUrl: server.url,
      attemptTimeout: 10_000,
      accessToken: () => Promise.resolve('token'),
    });
    const runOut = useClocksThatRunOut(10_000);

    const sent = rejection(sender.send(arbitrary));
    await server.request(0);
    runOut();

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ATTEMPT_TIMEOUT', outcome: 'unknown' });
  });

  test('that resolves too late: no headers are made, nothing is sent, and no clock runs any more', async () => {
    const server = await startRawServer(acknowledge);
    const tokens: ((token: string) => void)[] = [];
    let made = 0;
    const sender = openTestSender({
      baseUrl: server.url,
      maxConnections: 1,
      attemptTimeout: 10_000,
      totalTimeout: 10_000,
      accessToken: () => new Promise<string>((resolve) => tokens.push(resolve)),
      headers: () => ({ 'X-Made': String((made += 1)) }),
    });
    const runOut = useClocksThatRunOut(10_000);

    const late = rejection(sender.send('late'));
    expect(runOut()).toBe(1);
    expect(await late).toMatchObject({ code: 'PLANT_STORE_TOTAL_TIMEOUT', outcome: 'not-sent' });
    tokens[0]!('token');
    const next = sender.send('next');
    tokens[1]!('token');
    await next;

    expect(server.requests.map(({ content }) => content.toString())).toEqual(['next']);
    expect(made).toBe(1);
    expect(runOut()).toBe(0);
  });

  const leaky = (): Error =>
    Object.assign(new TypeError(`${accessToken} failed\n${accessToken}`, { cause: new Error(accessToken) }), {
      code: 'ECONNREFUSED',
      response: { headers: { authorization: accessToken } },
    });
  test.each([
    [
      'throws',
      () => {
        throw leaky();
      },
    ],
    ['rejects', () => Promise.reject(leaky())],
    [
      'returns what throws when it is awaited',
      () =>
        ({
          then() {
            throw leaky();
          },
        }) as never,
    ],
  ])('that %s: the delivery fails before it is sent, and says why without the token', async (_, failing) => {
    const error = await rejection(
      openTestSender({ baseUrl: 'http://127.0.0.1:9', accessToken: failing }).send(arbitrary),
    );

    expect(error).toMatchObject({ code: 'PLANT_STORE_ACCESS_TOKEN_FAILED', outcome: 'not-sent' });
    expect(everyTextIn(error).join()).not.toContain(accessToken);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['an error', leaky, /^TypeError \(ECONNREFUSED\) was thrown\./],
    ['an error with a token as code', () => Object.assign(leaky(), { code: accessToken }), /^TypeError was/],
    ['text', () => accessToken, /^Something was thrown\./],
    ['nothing', () => undefined, /^Something was thrown\./],
    [
      'an error whose message looks like a stack',
      () => new Error(`arbitrary\n    at ${accessToken}`),
      /^Error was/,
    ],
    [
      'an error whose message was changed',
      () => Object.assign(new Error('another'), { stack: `Error: arbitrary\n    at ${accessToken}` }),
      /^Error was/,
    ],
    [
      'an error with a token in its stack',
      () => Object.assign(new Error('arbitrary'), { stack: `Error: arbitrary\n${accessToken}` }),
      /^Error was/,
    ],
    [
      'an error of a class with a token as name',
      () =>
        Reflect.construct(Object.defineProperty(class extends Error {}, 'name', { value: accessToken }), []),
      /^Error was/,
    ],
    [
      'an error whose getters throw',
      () => Object.defineProperty(new Error(accessToken), 'code', { get: () => decodeURI('%') }),
      /^Something was thrown\./,
    ],
  ])('that throws %s: the cause has its class, its code and its stack', async (_, make, message) => {
    const sender = openTestSender({
      baseUrl: 'http://127.0.0.1:9',
      accessToken: () => {
        throw make();
      },
    });

    const { cause } = await rejection(sender.send(arbitrary));

    expect((cause as Error).message).toMatch(message);
    expect(everyTextIn(cause).join()).not.toContain(accessToken);
    if (make === leaky) expect((cause as Error).stack).toMatch(/\n +at leaky /);
  });

  test('that takes longer than totalTimeout without a promise: nothing is sent', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({
      baseUrl: server.url,
      totalTimeout: 20,
      accessToken: () => {
        const start = performance.now();
        while (performance.now() - start < 20);
        return 'token';
      },
    });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({ code: 'PLANT_STORE_TOTAL_TIMEOUT' });
    await sender.close();
    expect(server.requests).toEqual([]);
  });

  test.each([[''], [undefined], [1], ['two words'], ['line\nbreak'], ['tökén'], ['=leading']])(
    'that returns %j: the token is invalid',
    async (token) => {
      const server = await startRawServer(acknowledge);
      const sender = openTestSender({ baseUrl: server.url, accessToken: () => token as string });

      expect(await rejection(sender.send(arbitrary))).toMatchObject({
        code: 'PLANT_STORE_ACCESS_TOKEN_FAILED',
        outcome: 'not-sent',
      });
      expect(server.requests).toEqual([]);
    },
  );
});

describe('the access token is never printed', () => {
  const shown = (value: unknown): string =>
    [
      inspect(value, { depth: 20, showHidden: true, getters: false }),
      JSON.stringify(value),
      String(value),
    ].join();

  test('not in a sender', () => {
    expect(shown(openTestSender({ baseUrl: 'http://127.0.0.1:9' }))).not.toContain(accessToken);
  });

  test.each([
    [
      'a response that repeats it',
      `HTTP/1.1 500 ${accessToken}\r\nX-Echo: ${accessToken}\r\nContent-Length: 12\r\n\r\n${accessToken}`,
    ],
    ['something other than HTTP that repeats it', `${accessToken}\r\n\r\n`],
    ['an unreadable header that repeats it', `HTTP/1.1 200 OK\r\n${accessToken} ${accessToken}\r\n\r\n`],
  ])('not in the error of %s', async (_, response) => {
    const { url } = await startRawServer(respondWith(response));

    const error = await rejection(openTestSender({ baseUrl: url }).send(arbitrary));

    expect(everyTextIn(error).join()).not.toContain(accessToken);
  });

  test('not in the error of a lost connection', async () => {
    const { url } = await startRawServer(({ socket }) => socket.destroy());

    expect(shown(await rejection(openTestSender({ baseUrl: url }).send(arbitrary)))).not.toContain(
      accessToken,
    );
  });

  test('not in the error of an invalid token', async () => {
    const token = `${accessToken} with spaces`;
    const open = () =>
      createSenderUnder<Record<never, never>, string>(
        {},
        { baseUrl: 'http://127.0.0.1:9', method: 'POST', encode: bytes(), accessToken: token },
      );
    const given = await rejection(
      openTestSender({ baseUrl: 'http://127.0.0.1:9', accessToken: () => token }).send(arbitrary),
    );

    expect(open).toThrow(InvalidOptionsError);
    expect(shown(given)).not.toContain(accessToken);
    try {
      open();
    } catch (error) {
      expect(shown(error)).not.toContain(accessToken);
    }
  });
});
