/** How `enqueue` gets into a transaction of each library. docs/outbox.md has these functions; a test compares them. */
import { sql, type SQL } from 'drizzle-orm';
import type { Knex } from 'knex';
import type { Transaction } from '../../src/outbox/index.js';

export const ofKnex = (transaction: Knex.Transaction): Transaction => ({
  isTransaction: transaction.isTransaction === true,
  query: (text, values) => transaction.raw(text.replaceAll(/\$\d+/g, '?'), values as Knex.RawBinding[]),
});

/** A transaction has `rollback`, and a database doesn't. */
interface DrizzleTransaction {
  execute(query: SQL): PromiseLike<unknown>;
  rollback(): never;
}

export const ofDrizzle = (transaction: DrizzleTransaction): Transaction => ({
  isTransaction: 'rollback' in transaction,
  query: (text, values) => {
    const [first, ...rest] = text.split(/\$\d+/).map((piece) => sql.raw(piece));
    const chunks = rest.flatMap((piece, index) => [sql.param(values[index]), piece]);
    return transaction.execute(sql.join([first!, ...chunks]));
  },
});
