import { invalidOption } from '../errors/invalid-options-error.js';
import { OutboxError } from './outbox-error.js';

/**
 * The caller's transaction: anything that runs one SQL statement in it. A client of `pg` and an `EntityManager` of
 * TypeORM fit as they are; docs/outbox.md shows Knex, Drizzle and Prisma.
 */
export interface Transaction {
  /** Runs a statement. `$1` in its text is the first value; each value is used once, in this order. */
  query(text: string, values: unknown[]): PromiseLike<unknown>;
  /**
   * `false` if this is no transaction: `enqueue` refuses it.
   *
   * @default unknown
   */
  readonly isTransaction?: boolean;
}

/** What libraries tell about their transactions. */
interface Told extends Transaction {
  /** `pg`, of a pool. */
  readonly totalCount?: unknown;
  /** `pg` from 8.21: `I` outside a transaction, as of the last statement that has ended. */
  getTransactionStatus?(): unknown;
  /** `pg`, of a client: `false` while statements run. */
  readonly readyForQuery?: unknown;
  /** TypeORM, of a data source and of an entity manager. */
  readonly getRepository?: unknown;
  /** TypeORM, of an entity manager that has a connection of its own. */
  readonly queryRunner?: Told;
  /** TypeORM, of a connection. */
  readonly isTransactionActive?: boolean;
}

/**
 * Refuses what runs no statement, and what tells that it is outside a transaction: the entry would stay if the caller
 * rolls back.
 *
 * @param database the database of the outbox
 * @throws InvalidOptionsError if it has no `query`
 * @throws OutboxError `PLANT_STORE_OUTBOX_NO_TRANSACTION`
 */
export function requireTransaction(transaction: Transaction | undefined, database: object): void {
  if (typeof transaction?.query !== 'function') {
    throw invalidOption(
      'transaction',
      'must be a client of pg, or have `query(text, values)` (docs/outbox.md).',
    );
  }
  const advice = outsideOf(transaction, database);
  if (advice === undefined) return;
  throw new OutboxError(
    'PLANT_STORE_OUTBOX_NO_TRANSACTION',
    `\`enqueue\` was called outside a transaction. ${advice}`,
  );
}

/** What to do about it, if there is no transaction. */
function outsideOf(told: Told, database: object): string | undefined {
  if (told === database || told.totalCount !== undefined)
    return 'Pass a client on which BEGIN has run, and not the pool.';
  // A statement that runs may be BEGIN.
  if (told.readyForQuery === true && told.getTransactionStatus?.() === 'I')
    return 'Run BEGIN on the client first.';
  const runner = told.getRepository === undefined ? told : told.queryRunner;
  if (runner === undefined || runner.isTransactionActive === false || told.isTransaction === false)
    return 'Pass what the transaction function of your library gives, and not its database.';
  return undefined;
}
