import { inspect } from 'node:util';
import type { AccessTokenRequest } from '../src/index.js';
import { useClocks, useTimeThatPasses } from './support/clocks.js';
import { acknowledge, startRawServer, staySilent } from './support/raw-server.js';
import {
  accessToken,
  arbitrary,
  arrived,
  faultsOf,
  openTestSender,
  rejection,
  required,
  unsent,
  openBoth,
} from './support/senders.js';

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
  test.each([
    ['a promise of the token', async () => 'token'],
    ['the token', () => 'token'],
  ])('may return %s', async (_, token) => {
    const { headers } = await arrived({ options: { accessToken: token } });
    expect(headers).toContain('authorization: Bearer token');
  });

  test('that never resolves: totalTimeout ends the wait, and its signal is aborted', async () => {
    let inner: AbortSignal | undefined;
    const stuck = ({ signal }: AccessTokenRequest): Promise<string> => {
      inner = signal;
      return new Promise(() => {});
    };

    const error = await unsent({ options: { accessToken: stuck, totalTimeout: 50, attemptTimeout: 10 } });

    expect(error.code).toBe('PLANT_STORE_TOTAL_TIMEOUT');
    expect(inner!.aborted).toBe(true);
  });

  test('that resolves in time: attemptTimeout starts after it', async () => {
    const { server, sender } = await openBoth(staySilent, {
      attemptTimeout: 10_000,
      accessToken: () => Promise.resolve('token'),
    });
    const { runOut } = useClocks(10_000);

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
    const { runOut } = useClocks(10_000);

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
    const error = await unsent({ options: { accessToken: failing } });

    expect(error.code).toBe('PLANT_STORE_ACCESS_TOKEN_FAILED');
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
    const failing = (): never => {
      throw make();
    };

    const { cause } = await unsent({ options: { accessToken: failing } });

    expect((cause as Error).message).toMatch(message);
    expect(everyTextIn(cause).join()).not.toContain(accessToken);
    if (make === leaky) expect((cause as Error).stack).toMatch(/\n +at leaky /);
  });

  test('that takes longer than totalTimeout without a promise: nothing is sent', async () => {
    const pass = useTimeThatPasses();
    const slow = (): string => (pass(30_000), 'token');
    const { code } = await unsent({ options: { accessToken: slow } });
    expect(code).toBe('PLANT_STORE_TOTAL_TIMEOUT');
  });

  test.each([[''], [undefined], [1], ['two words'], ['line\nbreak'], ['tökén'], ['=leading']])(
    'that returns %j: the token is invalid',
    async (token) => {
      const { code } = await unsent({ options: { accessToken: () => token } });
      expect(code).toBe('PLANT_STORE_ACCESS_TOKEN_FAILED');
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
    ['nothing', ''],
    ['an unreadable header that repeats it', `HTTP/1.1 200 OK\r\n${accessToken} ${accessToken}\r\n\r\n`],
  ])('not in the error of %s', async (_, response) => {
    const { url } = await startRawServer(({ socket }) => void socket.end(response));

    const error = await rejection(openTestSender({ baseUrl: url }).send(arbitrary));

    expect(everyTextIn(error).join()).not.toContain(accessToken);
  });

  test('not in the error of an invalid token', async () => {
    const token = `${accessToken} with spaces`;
    const baseUrl = 'http://127.0.0.1:9';

    expect(shown(await unsent({ options: { accessToken: () => token } }))).not.toContain(accessToken);
    const faults = faultsOf({ ...required, baseUrl, accessToken: token });
    expect(faults).toMatchObject([{ option: 'accessToken' }]);
    expect(shown(faults)).not.toContain(accessToken);
  });
});
