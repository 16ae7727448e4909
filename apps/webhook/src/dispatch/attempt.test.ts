import type { TransactionClient } from '@plant-store/handler';

import { RunningAttempt } from './attempt.js';

test('on the embedded inbox, an attempt has no transaction and says what is needed', () => {
  expect(() => new RunningAttempt().transaction(async () => undefined)).toThrow(
    'attempt.transaction needs the shared inbox. Set INBOX_URL to a database of PostgreSQL.',
  );
});

test('an attempt has one transaction', async () => {
  const attempt = new RunningAttempt();
  const claimed = { id: 1, startedAt: 1 };
  attempt.useTransactions({ run: async () => undefined }, claimed);
  await attempt.transaction(async () => undefined);

  expect(() => attempt.transaction(async () => undefined)).toThrow('An attempt has one transaction.');
});

test('the work of a transaction returns nothing', async () => {
  const attempt = new RunningAttempt();
  const rows = { rowCount: 1 };
  const client = { query: async () => rows } as unknown as TransactionClient;
  attempt.useTransactions({ run: async (_claimed, work) => work(client) }, { id: 1, startedAt: 1 });

  // @ts-expect-error -- The compiler says so, too.
  await expect(attempt.transaction(({ query }) => query('SELECT'))).rejects.toThrow(
    'the work of the transaction returned a promise of an object; return nothing',
  );
});
