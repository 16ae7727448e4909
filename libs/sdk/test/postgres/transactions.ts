/** How `enqueue` gets into a transaction of each library. docs/outbox.md links them. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql, type SQL } from 'drizzle-orm';
import type { Knex } from 'knex';
import { CompiledQuery, type QueryExecutorProvider } from 'kysely';
import type { ISql } from 'postgres';
import type { Transaction as SequelizeTransaction, Sequelize } from 'sequelize';
import type { Transaction } from '../../src/outbox/index.js';

/** Knex and MikroORM have `?` for each value. */
const withMarks = (text: string): string => text.replaceAll(/\$\d+/g, '?');

export const ofKnex = (transaction: Knex): Transaction => ({
  query: (text, values) => transaction.raw(withMarks(text), values as Knex.RawBinding[]),
});

export const ofMikroOrm = (em: SqlEntityManager): Transaction => ({
  query: (text, values) => em.execute(withMarks(text), values),
});

export const ofDrizzle = (transaction: { execute(query: SQL): PromiseLike<unknown> }): Transaction => ({
  query: (text, values) => {
    const [first, ...rest] = text.split(/\$\d+/).map((piece) => sql.raw(piece));
    const chunks = rest.flatMap((piece, index) => [sql.param(values[index]), piece]);
    return transaction.execute(sql.join([first!, ...chunks]));
  },
});

export const ofKysely = (transaction: QueryExecutorProvider): Transaction => ({
  query: (text, values) => transaction.getExecutor().executeQuery(CompiledQuery.raw(text, values)),
});

export const ofSequelize = (sequelize: Sequelize, transaction: SequelizeTransaction): Transaction => ({
  query: (text, values) => sequelize.query(text, { bind: values, transaction }),
});

export const ofPostgres = (transaction: ISql): Transaction => ({
  query: (text, values) => transaction.unsafe(text, values as never[]),
});
