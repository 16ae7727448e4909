import { isNativeError } from 'node:util/types';
import { systemReason } from '../errors/system-reason.js';

/** Every error code of the outbox, with its meaning. */
export const outboxErrorCodes = Object.freeze({
  PLANT_STORE_OUTBOX_MISSING: 'The database has no outbox. It may be the wrong database.',
  PLANT_STORE_OUTBOX_VERSION: 'The tables of the outbox have another version than this package needs.',
  PLANT_STORE_OUTBOX_NO_TRANSACTION:
    '`enqueue` was called outside a transaction, or in one that had written nothing. It has recorded nothing.',
  PLANT_STORE_OUTBOX_CLOCK:
    'The clock of the database was set back. What waited for a later time is sent now.',
  PLANT_STORE_OUTBOX_DATABASE_FAILED: 'The database was not reached, or it refused a statement; see `cause`.',
});

/** Code of an error of the outbox. Codes are stable: compare them, not classes or messages. */
export type OutboxErrorCode = keyof typeof outboxErrorCodes;

/** An error of the outbox's database. If `enqueue` throws it, the caller's transaction must be rolled back. */
export class OutboxError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'OutboxError', configurable: true });
  }

  /** What happened: a key of `outboxErrorCodes`. */
  readonly code: OutboxErrorCode;

  constructor(code: OutboxErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Whether a value is an error of the outbox's database. It may come from another copy of the package. */
export function isOutboxError(error: unknown): error is OutboxError {
  return (
    isNativeError(error) && String((error as Partial<OutboxError>).code).startsWith('PLANT_STORE_OUTBOX_')
  );
}

/** What to do about an error. */
const advice = {
  PLANT_STORE_OUTBOX_MISSING: 'Create it with: outbox.migrate(), or plant-store outbox migrate.',
  PLANT_STORE_OUTBOX_VERSION: 'Run: outbox.migrate(), or plant-store outbox migrate.',
  PLANT_STORE_OUTBOX_NO_TRANSACTION:
    'Pass the client on which BEGIN has run, or what the transaction function of your library gives, and not its database or its pool. Write the plant in it first.',
} as const;

/** What an SQLSTATE of PostgreSQL (appendix A) means for the outbox. */
const codesOfStates: Readonly<Record<string, keyof typeof advice>> = {
  '3F000': 'PLANT_STORE_OUTBOX_MISSING',
  '42P01': 'PLANT_STORE_OUTBOX_MISSING',
  '42703': 'PLANT_STORE_OUTBOX_VERSION',
  '42883': 'PLANT_STORE_OUTBOX_VERSION',
  '25P01': 'PLANT_STORE_OUTBOX_NO_TRANSACTION',
};

/** The error of a statement or of connecting, as an `OutboxError`. Its message never has a password or a value. */
export function toOutboxError(error: unknown): OutboxError {
  if (isOutboxError(error)) return error;
  const chain = chainOf(error);
  for (const { code: state } of chain) {
    const code = codesOfStates[String(state)];
    if (code !== undefined) return new OutboxError(code, `${outboxErrorCodes[code]} ${advice[code]}`, error);
  }
  const told = chain.findLast(({ message }) => typeof message === 'string' && message !== '');
  const [reason] = systemReason(told ?? {}).split('\n', 1);
  const message = `The database of the outbox failed: ${reason}.`;
  return new OutboxError('PLANT_STORE_OUTBOX_DATABASE_FAILED', message, error);
}

interface DriverError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Sequelize has the cause here. */
  readonly parent?: unknown;
  /** Prisma has the error of its driver here. */
  readonly meta?: { readonly driverAdapterError?: unknown };
  /** An `AggregateError`, of a host with several addresses, has no message. */
  readonly errors?: readonly unknown[];
}

/** An error and its causes: an ORM may wrap the driver's error. */
function chainOf(error: unknown): DriverError[] {
  const chain: DriverError[] = [];
  for (let each: unknown = error; typeof each === 'object' && each !== null && chain.length < 8;) {
    const found: DriverError = each;
    chain.push(found);
    each = found.cause ?? found.parent ?? found.meta?.driverAdapterError ?? found.errors?.[0];
  }
  return chain;
}
