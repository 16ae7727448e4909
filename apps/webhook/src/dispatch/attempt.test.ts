import type { Delivery, TransactionClient } from '@plant-store/handler';

import { recordLog } from '../../test/record-log.js';
import { type AttemptHandler, RunningAttempt } from './attempt.js';

const delivery = { id: 1, startedAt: 1, content: Buffer.from('') } as unknown as Delivery;

const attemptWith = (transactions?: AttemptHandler['transactions']): RunningAttempt =>
  new RunningAttempt(delivery, { handle: () => undefined, logger: recordLog().logger, transactions });

test('on the embedded inbox, an attempt has no transaction and says what is needed', () => {
  expect(() => attemptWith().transaction(async () => undefined)).toThrow(
    'attempt.transaction needs the shared inbox. Set INBOX_URL to a database of PostgreSQL.',
  );
});

test('an attempt has one transaction', async () => {
  const attempt = attemptWith({ run: async () => undefined });
  await attempt.transaction(async () => undefined);

  expect(() => attempt.transaction(async () => undefined)).toThrow('An attempt has one transaction.');
});

test('the work of a transaction returns nothing', async () => {
  const rows = { rowCount: 1 };
  const client = { query: async () => rows } as unknown as TransactionClient;
  const attempt = attemptWith({ run: async (_claimed, work) => work(client) });

  // @ts-expect-error -- The compiler says so, too.
  await expect(attempt.transaction(({ query }) => query('SELECT'))).rejects.toThrow(
    'the work of the transaction returned a promise of a value (Object)',
  );
});

describe('the transaction decides about the attempt, whatever the handler does:', () => {
  const fail = (): never => {
    throw new Error('thrown by the handler');
  };
  const refuse = (): Promise<never> => Promise.reject(new Error('the commit failed'));

  test.each<[name: string, end: () => Promise<void> | void, commit: () => Promise<void>, want: string]>([
    ['nothing, and it is committed', () => undefined, async () => undefined, 'handled'],
    ['nothing, and it fails', () => undefined, refuse, 'the commit failed'],
    ['it throws after a commit', fail, async () => undefined, 'handled'],
    ['it rejects after a commit', async () => fail(), async () => undefined, 'handled'],
    ['it throws, and the transaction fails', fail, refuse, 'thrown by the handler'],
  ])('%s', async (_name, end, commit, want) => {
    const attempt = new RunningAttempt(delivery, {
      handle: (_delivery, running) => {
        void running.transaction(() => undefined);
        return end();
      },
      logger: recordLog().logger,
      transactions: { run: commit },
    });

    const result = await Promise.resolve(attempt.run()).then(
      () => 'handled',
      (error: unknown) => (error as Error).message,
    );
    expect(result).toBe(want);
  });
});
