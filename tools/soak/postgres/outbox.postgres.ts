import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { findPostgres } from '@plant-store/test-support/postgres';

import { runKillLoop } from '../src/outbox/kill-loop.js';
import { Random } from '../src/random.js';

const withPostgres = findPostgres(process.env) === undefined ? describe.skip : describe;

withPostgres('an outbox whose store, relays and PostgreSQL are killed 10 times', () => {
  test('delivers every plant that was committed and no other, and each is handled once', async () => {
    const random = new Random(1);

    const result = await runKillLoop({ rounds: 10, random, folder: makeFolder(), cleanUp: afterThisTest });

    expect(result.committed).toBeGreaterThan(0);
    expect(result).toMatchObject({
      kills: { 'the store': 4, 'a relay': 3, PostgreSQL: 3 },
      lost: 0,
      invented: 0,
      handled: result.committed,
      handlings: result.committed,
    });
  }, 180_000);
});
