/** What the answers about tokens and time-outs change. */
import type { Answers } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { createSenderUnder } from '../src/new-plant-sender.js';
import { bytes, InvalidOptionsError } from '../src/index.js';
import { resolveSettings } from '../src/options/resolve-settings.js';
import { acknowledge, startRawServer, staySilent } from './support/raw-server.js';
import { accessToken, arbitrary, openSenderUnder, openTestSender, rejection } from './support/senders.js';

const options = { method: 'POST', encode: bytes(), baseUrl: 'https://example.test', accessToken } as const;

describe('an answered token format', () => {
  const given = { 'token-format': exampleAnswers['token-format'] } as const satisfies Answers;

  test('refuses a token in another format, and does not repeat it in the fault', () => {
    const create = (): unknown => createSenderUnder(given, options);

    expect(create).toThrow(InvalidOptionsError);
    expect(create).toThrow(/^`accessToken` must consist of .*RFC 6750.*\^example-/);
    expect(create).not.toThrow(accessToken);
  });

  test('refuses a token that RFC 6750 does not allow, even if the format does', () => {
    expect(() => createSenderUnder(given, { ...options, accessToken: 'example- ' })).toThrow(
      InvalidOptionsError,
    );
  });

  test.each([accessToken, 'not-example-', 'example- '])('refuses %j from a function', async (token) => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url, accessToken: () => token });

    const error = await rejection(sender.send(arbitrary));

    expect(error).toMatchObject({ code: 'PLANT_STORE_ACCESS_TOKEN_FAILED', outcome: 'not-sent' });
    expect(error.message).not.toContain(token);
    expect(server.requests).toEqual([]);
  });

  test.each(['example-token', () => 'example-token'])('accepts a token in that format', async (token) => {
    const server = await startRawServer(acknowledge);

    await openSenderUnder(given, { ...options, baseUrl: server.url, accessToken: token }).send(arbitrary);

    expect((await server.request(0)).headers).toContain('authorization: Bearer example-token');
  });
});

describe('an answered time-out', () => {
  test('ends an attempt', async () => {
    const server = await startRawServer(staySilent);
    const given = { 'time-outs': { delivery: 10, response: 20 } };
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ATTEMPT_TIMEOUT',
      message: expect.stringContaining('within 20 ms') as string,
    });
  });

  const policy = { delays: [1_000, 2_000], statuses: 'all', withoutResponse: true } as const;
  test.each<[string, Answers, object, [attempt: number, total: number]]>([
    ['nothing', {}, {}, [15_000, 30_000]],
    ['an attempt of the caller', {}, { attemptTimeout: 40_000 }, [40_000, 30_000]],
    ['a short answer', { 'time-outs': { delivery: 1, response: 4_000 } }, {}, [4_000, 30_000]],
    ['a long answer', { 'time-outs': { delivery: 1, response: 60_000 } }, {}, [60_000, 60_000]],
    [
      'an answer and both of the caller',
      { 'time-outs': { delivery: 1, response: 60_000 } },
      { attemptTimeout: 5, totalTimeout: 6 },
      [5, 6],
    ],
    ['an answered policy', { retry: policy }, {}, [15_000, 63_000]],
    ['a policy of the caller', {}, { retry: policy, attemptTimeout: 100 }, [100, 33_200]],
    ['a policy switched off', { retry: policy }, { retry: false }, [15_000, 30_000]],
    ['a policy and a total of the caller', { retry: policy }, { totalTimeout: 9 }, [15_000, 9]],
    [
      'a policy longer than any timer',
      { retry: { ...policy, delays: Array(100).fill(2 ** 31 - 1) as number[] } },
      {},
      [15_000, 2 ** 31 - 1],
    ],
  ])('the default time-outs with %s', (_, given, some, expected) => {
    const { attemptTimeout, totalTimeout } = resolveSettings(given, { ...options, ...some });

    expect([attemptTimeout, totalTimeout]).toEqual(expected);
  });
});

test('while everything is open, every token of RFC 6750 is accepted', async () => {
  const server = await startRawServer(acknowledge);

  await openTestSender({ baseUrl: server.url, accessToken: 'another' }).send(arbitrary);

  expect((await server.request(0)).headers).toContain('authorization: Bearer another');
});
