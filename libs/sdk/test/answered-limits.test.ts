/** What the answers about tokens and time-outs change. */
import type { AnswerValues } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { resolveSettings } from '../src/options/resolve-settings.js';
import { startRawServer, staySilent } from './support/raw-server.js';
import {
  accessToken,
  arbitrary,
  arrived,
  faultsOf,
  openSenderUnder,
  rejection,
  required,
  unsent,
} from './support/senders.js';

const options = { ...required, baseUrl: 'https://example.test' } as const;

describe('an answered token format', () => {
  const given = { 'token-format': exampleAnswers['token-format'] } as const satisfies AnswerValues;

  // The second is in the format, and RFC 6750 doesn't allow it.
  test.each([accessToken, 'example- ', 'not-example-'])(
    'refuses %j, and does not repeat it',
    async (token) => {
      const faults = faultsOf({ ...options, accessToken: token }, given);
      const error = await unsent({ given, options: { accessToken: () => token } });

      expect(faults).toMatchObject([{ option: 'accessToken' }]);
      expect(faults[0]!.problem).toMatch(/must consist of .*RFC 6750.*\^example-/);
      expect(error.code).toBe('PLANT_STORE_ACCESS_TOKEN_FAILED');
      for (const text of [faults[0]!.problem, error.message]) expect(text).not.toContain(token);
    },
  );

  test.each(['example-token', () => 'example-token'])('accepts a token in that format', async (token) => {
    const { headers } = await arrived({ given, options: { accessToken: token } });
    expect(headers).toContain('authorization: Bearer example-token');
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
  const honouring = { ...policy, maxRetryAfter: 60_000 };
  test.each<[string, AnswerValues, object, [attempt: number, total: number]]>([
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
    ['a policy with jitter', {}, { retry: { ...policy, jitter: 1 } }, [15_000, 63_000]],
    ['a policy that honours Retry-After', {}, { retry: honouring }, [15_000, 180_000]],
    ['a policy with a function', {}, { retry: { ...honouring, delays: () => 1 } }, [15_000, 30_000]],
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
