import type { AnswerValues } from '@plant-store/contract';
import { afterThisTest } from '@plant-store/test-support';
import {
  bytes,
  type FailedAttempt,
  type PlantStoreError,
  type RetryDelay,
  type RetryOptions,
  type RetryPolicy,
} from '../src/index.js';
import type { SenderOptionsUnder, SenderUnder } from '../src/sender-under.js';
import { createFakeSenderUnder } from '../src/testing/fake-sender.js';
import { useClocks } from './support/clocks.js';
import {
  acknowledge,
  breakOff,
  closing,
  inTurn,
  respond,
  respondWith,
  type RawRequest,
  startRawServer,
  staySilent,
} from './support/raw-server.js';
import { responseHeads } from './support/response-heads.js';
import {
  accessToken,
  arbitrary,
  type Open,
  openSenderUnder,
  openTestSender,
  rejection,
} from './support/senders.js';

const never = 600_000;
const twice: RetryPolicy = { delays: [1, 1], statuses: [503], withoutResponse: true };
const reason = new Error('the reason of the caller');

type Options = SenderOptionsUnder<string | Uint8Array, Open>;

function open(baseUrl: string, options: Partial<Options> = {}): SenderUnder<string | Uint8Array, Open> {
  return openTestSender({ baseUrl, retry: twice, ...options });
}

describe('a delivery with a retry policy', () => {
  test('is sent again until it is acknowledged', async () => {
    const server = await startRawServer(inTurn(respond(503), breakOff, acknowledge));

    expect(await open(server.url).send(arbitrary)).toMatchObject({ status: 204 });

    expect(server.requests.map(({ content }) => content.toString())).toEqual(Array(3).fill(arbitrary));
  });

  test('fails after the last delay, with the error of the last attempt', async () => {
    const server = await startRawServer(respond(503));

    expect(await rejection(open(server.url).send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      outcome: 'responded',
      status: 503,
      attempts: 3,
    });
    expect(server.requests).toHaveLength(3);
  });

  test.each<[string, Partial<RetryPolicy>, number[], number]>([
    ['a status of the policy, and no other', {}, [503, 500], 500],
    ['every status, if statuses is all', { statuses: 'all' }, [400, 302, 503], 503],
  ])('is sent again after %s', async (_, policy, statuses, status) => {
    const server = await startRawServer(inTurn(...statuses.map(respond)));

    expect(
      await rejection(open(server.url, { retry: { ...twice, ...policy } }).send(arbitrary)),
    ).toMatchObject({ status, attempts: statuses.length });
    expect(server.requests).toHaveLength(statuses.length);
  });

  test.each<[string, (request: RawRequest) => void, string, number]>([
    ['a broken connection', breakOff, 'PLANT_STORE_CONNECTION_LOST', never],
    ['a time-out', staySilent, 'PLANT_STORE_ATTEMPT_TIMEOUT', 50],
  ])('is sent again after %s only if the policy says so', async (_, handle, code, attemptTimeout) => {
    const server = await startRawServer(handle);

    for (const [withoutResponse, attempts] of [
      [true, 3],
      [false, 1],
    ] as const) {
      const retry = { ...twice, withoutResponse };
      const sender = open(server.url, { retry, attemptTimeout });
      expect(await rejection(sender.send(arbitrary))).toMatchObject({ code, attempts });
    }
  });

  test.each([
    ['PLANT_STORE_CONNECT_FAILED', true],
    ['PLANT_STORE_CONNECT_TIMEOUT', true],
    ['PLANT_STORE_CONNECTION_LOST', true],
    ['PLANT_STORE_ATTEMPT_TIMEOUT', true],
    ['PLANT_STORE_TOTAL_TIMEOUT', false],
    ['PLANT_STORE_RESPONSE_UNREADABLE', false],
  ] as const)('that fails with %s is sent again: %p', async (code, isSentAgain) => {
    const options = { accessToken, method: 'POST', encode: bytes(), retry: twice } as const;
    const sender = createFakeSenderUnder({ ...options, baseUrl: 'http://127.0.0.1:9' }, {});
    sender.replyNext({ code });

    const sending = sender.send(arbitrary);

    if (isSentAgain) await sending;
    else expect(await rejection(sending)).toMatchObject({ code, attempts: 1 });
  });

  test('has the combined outcome of all attempts', async () => {
    const server = await startRawServer(inTurn(breakOff, respond(503), respond(400)));

    expect(await rejection(open(server.url).send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      status: 400,
      outcome: 'unknown',
      attempts: 3,
    });
  });

  test('tells the function `delays` the worst outcome of its attempts so far', async () => {
    const server = await startRawServer(inTurn(respond(503), breakOff, respond(503), acknowledge));
    const told: unknown[] = [];
    const delays = ({ attempt, error, outcome }: FailedAttempt): number => {
      told.push([attempt, error.code, error.outcome, error.attempts, outcome]);
      return 1;
    };

    await open(server.url, { retry: { ...twice, delays } }).send(arbitrary);

    expect(told).toEqual([
      [1, 'PLANT_STORE_NOT_ACKNOWLEDGED', 'responded', undefined, 'responded'],
      [2, 'PLANT_STORE_CONNECTION_LOST', 'unknown', undefined, 'unknown'],
      [3, 'PLANT_STORE_NOT_ACKNOWLEDGED', 'responded', undefined, 'unknown'],
    ]);
  });

  test('has the outcome responded if one attempt has it and the others were not sent', async () => {
    const server = await startRawServer((request) => {
      server.server.close();
      request.socket.end('HTTP/1.1 503 Arbitrary\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });

    expect(await rejection(open(server.url).send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECT_FAILED',
      outcome: 'responded',
      attempts: 3,
    });
  });

  test('is encoded once; token and headers are made for each attempt', async () => {
    const server = await startRawServer(inTurn(respond(503), acknowledge));
    const calls = { encode: 0, accessToken: 0, headers: 0 };
    const sender = open(server.url, {
      encode: (content) => ({ content: `${String(content)} ${(calls.encode += 1)}` }),
      accessToken: () => `token${(calls.accessToken += 1)}`,
      headers: () => ({ 'x-call': String((calls.headers += 1)) }),
    });

    await sender.send(arbitrary);

    const seen = server.requests.map(({ headers, content }) => [headers[2], headers[3], String(content)]);
    expect(seen).toEqual([
      ['authorization: Bearer token1', 'x-call: 1', `${arbitrary} 1`],
      ['authorization: Bearer token2', 'x-call: 2', `${arbitrary} 1`],
    ]);
  });

  test.each<[string, Partial<Options>, string]>([
    ['accessToken', { accessToken: () => 'no token' }, 'PLANT_STORE_ACCESS_TOKEN_FAILED'],
    ['headers', { headers: () => ({ host: 'x' }) }, 'PLANT_STORE_HEADERS_FAILED'],
  ])('is not sent again after an error of %s', async (_, options, code) => {
    const server = await startRawServer(acknowledge);

    expect(await rejection(open(server.url, options).send(arbitrary))).toMatchObject({
      code,
      outcome: 'not-sent',
      attempts: 1,
    });
  });
});

describe('totalTimeout and the signal cover all attempts', () => {
  const long: RetryPolicy = { ...twice, delays: [never] };

  test('totalTimeout ends the wait between two attempts', async () => {
    const server = await startRawServer(({ socket }) =>
      socket.end('HTTP/1.1 503 Arbitrary\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    );
    const { runOut } = useClocks(10_000);
    const sender = open(server.url, { retry: long, totalTimeout: 10_000 });

    const sent = rejection(sender.send(arbitrary));
    await closing((await server.request(0)).socket);
    runOut();

    expect(await sent).toMatchObject({
      code: 'PLANT_STORE_TOTAL_TIMEOUT',
      outcome: 'responded',
      attempts: 1,
      cause: { code: 'PLANT_STORE_NOT_ACKNOWLEDGED', status: 503 },
    });
    await sender.close();
  });

  test('totalTimeout ends an attempt; there is no further one', async () => {
    const server = await startRawServer(inTurn(respond(503), staySilent));
    const { runOut } = useClocks(10_000);
    const sender = open(server.url, { totalTimeout: 10_000 });

    const sent = rejection(sender.send(arbitrary));
    await server.request(1);
    runOut();

    expect(await sent).toMatchObject({
      code: 'PLANT_STORE_TOTAL_TIMEOUT',
      outcome: 'unknown',
      attempts: 2,
      cause: { status: 503 },
    });
    await sender.close();
    expect(server.requests).toHaveLength(2);
  });

  test('totalTimeout ends reading a response; there is no further attempt', async () => {
    const begun = (status: number) => `HTTP/1.1 ${status} Arbitrary\r\nContent-Length: 9\r\n\r\nhalf`;
    const server = await startRawServer(inTurn(respondWith(begun(503)), respondWith(begun(200))));
    const { runOut } = useClocks(10_000);
    const sender = open(server.url, { totalTimeout: 10_000 });
    const sendUntilItRunsOut = async (): Promise<unknown> => {
      const sent = sender.send(arbitrary).catch((error: unknown) => error);
      await responseHeads();
      runOut();
      return sent;
    };

    expect(await sendUntilItRunsOut()).toMatchObject({ status: 503, truncated: true, attempts: 1 });
    expect(await sendUntilItRunsOut()).toMatchObject({ status: 200, truncated: true });
    expect(server.requests).toHaveLength(2);
  });

  test('the signal ends the wait between two attempts', async () => {
    const controller = new AbortController();
    const server = await startRawServer(respond(503));
    const sender = open(server.url, { retry: long });
    const sent = rejection(sender.send(arbitrary, { signal: controller.signal }));
    const { socket } = await server.request(0);
    socket.end();
    await closing(socket);
    controller.abort(reason);

    expect(await sent).toMatchObject({
      code: 'PLANT_STORE_ABORTED',
      outcome: 'responded',
      attempts: 1,
      cause: reason,
    });
    await sender.close();
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['', () => {}],
    [
      ', which fails,',
      () => {
        throw new Error('arbitrary');
      },
    ],
  ])('a signal that is aborted while the plant is encoded%s: nothing is sent', async (_, goOn) => {
    const server = await startRawServer(acknowledge);
    const controller = new AbortController();
    const encode = (content: string | Uint8Array): { content: string } => {
      if (!controller.signal.aborted) {
        controller.abort(reason);
        goOn();
      }
      return { content: String(content) };
    };
    const sender = open(server.url, { encode, maxConnections: 1 });

    expect(await rejection(sender.send(arbitrary, { signal: controller.signal }))).toMatchObject({
      code: 'PLANT_STORE_ABORTED',
      outcome: 'not-sent',
      attempts: 0,
    });
    await sender.send('another');
    await sender.close();
    expect(server.requests.map(({ content }) => content.toString())).toEqual(['another']);
  });
});

describe('which policy applies', () => {
  const given = {
    retry: { delays: [1], statuses: 'all', withoutResponse: true },
  } as const satisfies AnswerValues;
  const options = { accessToken, method: 'POST', encode: bytes() } as const;

  test.each<[string, AnswerValues, { readonly retry?: RetryPolicy | false }, number, number | undefined]>([
    ['none while the question is open', {}, {}, 1, undefined],
    ['none where the caller says so', {}, { retry: false }, 1, undefined],
    ['that of the caller', {}, { retry: twice }, 3, 3],
    ['the answered one', given, {}, 2, 2],
    ['that of the caller instead of the answered one', given, { retry: twice }, 3, 3],
    ['none where the caller switches the answered one off', given, { retry: false }, 1, undefined],
  ])('%s', async (_, answers, retry, count, attempts) => {
    const server = await startRawServer(respond(503));
    const all = { ...options, baseUrl: server.url, ...retry };
    const sender = openSenderUnder<Open, string | Uint8Array>(answers, all);

    const error = await rejection(sender.send(arbitrary));

    expect(server.requests).toHaveLength(count);
    expect(error.attempts).toBe(attempts);
    expect('attempts' in error).toBe(attempts !== undefined);
  });
});

/** The error of a delivery that a receiver refuses with 503, and how many requests there were. */
async function refusedWith(retry: RetryOptions): Promise<{ error: PlantStoreError; requests: number }> {
  const server = await startRawServer(respond(503));
  const error = await rejection(open(server.url, { retry }).send(arbitrary));
  return { error, requests: server.requests.length };
}

describe('delays may be a function', () => {
  test('that is not called after an error that the policy does not repeat', async () => {
    let calls = 0;

    const { error } = await refusedWith({ ...twice, statuses: [500], delays: () => (calls += 1) });

    expect(error).toMatchObject({ status: 503, attempts: 1 });
    expect(calls).toBe(0);
  });

  test('that throws: the delivery fails with the cause, and with the outcome of its attempts', async () => {
    const { error, requests } = await refusedWith({
      ...twice,
      delays: () => {
        throw reason;
      },
    });

    expect(error).toMatchObject({
      code: 'PLANT_STORE_RETRY_FAILED',
      outcome: 'responded',
      attempts: 1,
      cause: reason,
    });
    expect(error.message).toContain('PLANT_STORE_NOT_ACKNOWLEDGED');
    expect(requests).toBe(1);
  });

  test.each<[string, () => unknown]>([
    ['-1', () => -1],
    ['NaN', () => NaN],
    ['Infinity', () => Infinity],
    ['a longer time than a timer has', () => 2 ** 31],
    ['text', () => '1'],
    ['null', () => null],
    ['a promise', () => Promise.resolve(1)],
    ['a promise that rejects', () => Promise.reject(reason)],
  ])('must not return %s', async (_, delays) => {
    const { error, requests } = await refusedWith({ ...twice, delays: delays as RetryDelay });

    expect(error).toMatchObject({ code: 'PLANT_STORE_RETRY_FAILED', outcome: 'responded', attempts: 1 });
    expect(error.cause).toMatchObject({ status: 503 });
    expect(requests).toBe(1);
  });

  test('that freezes the error: the delivery fails with its code, and the outcome of all attempts', async () => {
    const server = await startRawServer(inTurn(breakOff, respond(503)));
    const delays = ({ attempt, error }: FailedAttempt): number | undefined => {
      Object.freeze(error);
      return attempt === 1 ? 1 : undefined;
    };
    const sender = open(server.url, { retry: { ...twice, delays } });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
      outcome: 'unknown',
      attempts: 2,
      cause: { status: 503 },
    });
  });

  test('that aborts the delivery ends it', async () => {
    const server = await startRawServer(respond(503));
    const controller = new AbortController();
    const delays = (): number => {
      controller.abort(reason);
      return 1;
    };
    const sender = open(server.url, { retry: { ...twice, delays } });

    expect(await rejection(sender.send(arbitrary, { signal: controller.signal }))).toMatchObject({
      code: 'PLANT_STORE_ABORTED',
      outcome: 'responded',
      cause: reason,
    });
    await sender.close();
    expect(server.requests).toHaveLength(1);
  });
});

describe('the wait before another attempt', () => {
  const at = Date.parse('2026-01-31T12:00:00Z');

  /** Whether a delivery waits for exactly so many milliseconds after a 503 with these header lines. */
  async function expectWait(milliseconds: number, retry: RetryOptions, ...lines: string[]): Promise<void> {
    const { runOut } = useClocks(milliseconds);
    const { now } = Date;
    Date.now = () => at;
    const { random } = Math;
    Math.random = () => 0.5;
    afterThisTest(() => {
      Date.now = now;
      Math.random = random;
    });
    const refusal = ['HTTP/1.1 503 Arbitrary', 'Connection: close', 'Content-Length: 0', ...lines, '', ''];
    const server = await startRawServer(inTurn(respondWith(refusal.join('\r\n')), acknowledge));
    const sender = open(server.url, { retry, totalTimeout: never });

    const sent = sender.send(arbitrary);
    const { socket } = await server.request(0);
    await closing(socket);

    expect(runOut()).toBe(1);
    expect(await sent).toMatchObject({ status: 204 });
  }

  const policy: RetryOptions = { delays: [1_000], statuses: [503], withoutResponse: false };
  const honoured = { ...policy, maxRetryAfter: 60_000 };

  test.each<[string, number, RetryOptions, string[]]>([
    ['the delay', 1_000, policy, []],
    ['the delay, though there is a Retry-After that is not honoured', 1_000, policy, ['Retry-After: 7']],
    ['the seconds of Retry-After', 7_000, honoured, ['Retry-After: 7']],
    ['the seconds of Retry-After before white space', 7_000, honoured, ['Retry-After: 7 \t']],
    ['until the date of Retry-After', 7_000, honoured, ['Retry-After: Sat, 31 Jan 2026 12:00:07 GMT']],
    ['until a date as of RFC 850', 7_000, honoured, ['Retry-After: Saturday, 31-Jan-26 12:00:07 GMT']],
    ['until a date as of asctime', 7_000, honoured, ['Retry-After: Sat Jan 31 12:00:07 2026']],
    ['the delay if Retry-After is shorter', 1_000, honoured, ['Retry-After: 0']],
    ['the delay if the date has passed', 1_000, honoured, ['Retry-After: Sat, 31 Jan 2026 11:00:00 GMT']],
    ['maxRetryAfter if Retry-After is longer', 60_000, honoured, ['Retry-After: 61']],
    ['maxRetryAfter if Retry-After is endless', 60_000, honoured, [`Retry-After: ${'9'.repeat(400)}`]],
    ...['-1', '1.5', 'soon', '2027-01-31', 'Sat, 99 Jan 2026 12:00:07 GMT', '7, 8', ''].map(
      (value): [string, number, RetryOptions, string[]] => [
        `the delay if Retry-After is invalid: ${value}`,
        1_000,
        honoured,
        [`Retry-After: ${value}`],
      ],
    ),
    ['the delay if there are two', 1_000, honoured, ['Retry-After: 7', 'Retry-After: 8']],
    ['a part of the delay with jitter', 750, { ...policy, jitter: 0.5 }, []],
    ['a part of the delay with full jitter', 500, { ...policy, jitter: 1 }, []],
    ['Retry-After without jitter', 7_000, { ...honoured, jitter: 1 }, ['Retry-After: 7']],
    ['what the function returns', 3_000, { ...policy, delays: () => 3_000 }, []],
    ['Retry-After with a function', 7_000, { ...honoured, delays: () => 3_000 }, ['Retry-After: 7']],
  ])('is %s', async (_, milliseconds, retry, lines) => {
    await expectWait(milliseconds, retry, ...lines);
  });
});
