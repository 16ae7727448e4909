import 'reflect-metadata';

import { runReceiver, TOKEN } from '../../../test/run-receiver.js';
import { type AcceptedToken, AccessTokens } from '../../authentication/bearer.strategy.js';
import { limitRate } from './head.js';

const LIMIT = { deliveries: 2, seconds: 3_600 };

test('deliveries beyond the limit of their token are refused and not stored', async () => {
  const receiver = await runReceiver({ 'rate-limits': LIMIT }, { ACCESS_TOKENS: `${TOKEN},another-token` });
  const another = { fields: { authorization: 'Bearer another-token' } };

  const responses = [];
  for (const sent of [{}, {}, {}, another, another, another, {}]) responses.push(await receiver.send(sent));

  expect(responses).toEqual(
    [204, 204, 429, 204, 204, 429, 429].map((status) => ({ status, fields: {}, content: '' })),
  );
  expect(receiver.stored()).toHaveLength(4);
});

test('a refused request does not count', async () => {
  const { send } = await runReceiver({ 'rate-limits': LIMIT });
  for (const sent of [
    { method: 'DELETE' },
    { content: '' },
    { path: '/' },
    { fields: { authorization: 'Bearer wrong' } },
  ]) {
    expect((await send(sent)).status).not.toBe(204);
  }

  expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([204, 204, 429]);
});

test('the count of a token stays when the tokens are read again', () => {
  const source = { tokens: ['one', 'two'] };
  const tokens = new AccessTokens(source);
  const times = [0, 1, 2, 3].values();
  const check = limitRate(LIMIT, () => times.next().value as number);
  const deliver = (token: string): void => check({} as never, tokens.find(token) as AcceptedToken);
  deliver('one');
  deliver('one');

  source.tokens = ['three', 'one'];

  expect(() => deliver('one')).toThrow(expect.objectContaining({ failure: 'rate-exceeded' }) as Error);
  expect(() => deliver('three')).not.toThrow();
});
