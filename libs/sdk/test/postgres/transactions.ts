/** How `enqueue` gets into a transaction of each library. docs/outbox.md has these functions; a test compares them. */
import { sql, type SQL } from 'drizzle-orm';
import type { Knex } from 'knex';
import type { Transaction } from '../../src/outbox/index.js';

export const ofKnex = (transaction: Knex.Transaction): Transaction => ({
  query: (text, values) => transaction.raw(text.replaceAll(/\$\d+/g, '?'), values as Knex.RawBinding[]),
});

export const ofDrizzle = (transaction: { execute(query: SQL): PromiseLike<unknown> }): Transaction => ({
  query: (text, values) => {
    const [first, ...rest] = text.split(/\$\d+/).map((piece) => sql.raw(piece));
    const chunks = rest.flatMap((piece, index) => [sql.param(values[index]), piece]);
    return transaction.execute(sql.join([first!, ...chunks]));
  },
});
