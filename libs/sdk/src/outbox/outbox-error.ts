/** Every error code of the outbox, with its meaning. */
export const outboxErrorCodes = Object.freeze({
  PLANT_STORE_OUTBOX_MISSING: 'The database has no outbox. It may be the wrong database.',
  PLANT_STORE_OUTBOX_VERSION: 'The tables of the outbox have another version than this package needs.',
  PLANT_STORE_OUTBOX_DATABASE_UNUSABLE:
    'The database does not exist, refuses the user, is read-only, too old or not in UTF8.',
  PLANT_STORE_OUTBOX_NO_TRANSACTION: '`enqueue` was called outside a transaction, and has recorded nothing.',
  PLANT_STORE_OUTBOX_LEASE_LOST:
    'A relay did not reach the database for longer than its lease of 15 s. Others may have taken its entries.',
  PLANT_STORE_OUTBOX_CONNECTION_LOST: 'There is no connection to the database, or it was lost.',
  PLANT_STORE_OUTBOX_STATEMENT_FAILED: 'The database refused a statement; see `cause`.',
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

interface Explanation {
  readonly code: OutboxErrorCode;
  readonly message: string;
}

const missing: Explanation = {
  code: 'PLANT_STORE_OUTBOX_MISSING',
  message:
    'The database has no outbox. Create it with: outbox.migrate(), or plant-store outbox migrate. If there is one, this is the wrong database.',
};
const otherVersion: Explanation = {
  code: 'PLANT_STORE_OUTBOX_VERSION',
  message:
    'The tables of the outbox have another version. Run: outbox.migrate(), or plant-store outbox migrate.',
};

/** What an SQLSTATE of PostgreSQL means for the outbox (PostgreSQL, appendix A). */
const explanations: Readonly<Record<string, Explanation>> = {
  '3F000': missing,
  '42P01': missing,
  '42703': otherVersion,
  '42883': otherVersion,
  '3D000': unusable('The database does not exist. Check its name.'),
  '28P01': unusable('The database refuses the password. Check user and password.'),
  '28000': unusable('The database refuses the user. Check the user and pg_hba.conf.'),
  '42501': unusable(
    'The user may not use the tables of the outbox. Grant it the rights that docs/outbox.md lists.',
  ),
  '25006': unusable('The database is read-only.'),
  // Of the functions in sql/outbox-001.sql.
  '25P01': {
    code: 'PLANT_STORE_OUTBOX_NO_TRANSACTION',
    message:
      '`enqueue` was called outside a transaction, and has recorded nothing. Pass the client on which BEGIN has run, or what the transaction function of your library gives, and not its database or its pool.',
  },
  PSOLL: {
    code: 'PLANT_STORE_OUTBOX_LEASE_LOST',
    message:
      'The relay did not reach the database for longer than its lease of 15 s. Others may have taken its entries.',
  },
};

function unusable(message: string): Explanation {
  return { code: 'PLANT_STORE_OUTBOX_DATABASE_UNUSABLE', message };
}

/** Codes of Node's system errors, and the messages with which `pg` says the same. */
const systemCodes = /^(?:E[A-Z]+|EAI_[A-Z]+)$/;
const pgMessages =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool after)/;
/** Connection exceptions, too many connections, and a server that stops, crashed or starts. */
const connectionStates = /^(?:08...|53300|57P0[123])$/;

/** The error of a statement or of connecting, as an `OutboxError`. Its message never has a password or a value. */
export function toOutboxError(error: unknown): OutboxError {
  if (error instanceof OutboxError) return error;
  const { code, reason } = sourceOf(error);
  const explanation = explanations[code];
  if (explanation !== undefined) return new OutboxError(explanation.code, explanation.message, error);
  if (connectionStates.test(code) || systemCodes.test(code) || pgMessages.test(reason)) {
    const message = `There is no connection to the database of the outbox: ${reason}.`;
    return new OutboxError('PLANT_STORE_OUTBOX_CONNECTION_LOST', message, error);
  }
  const message = `The database refused a statement of the outbox: ${reason}.`;
  return new OutboxError('PLANT_STORE_OUTBOX_STATEMENT_FAILED', message, error);
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

/** The code and the first line of the driver's error: an ORM may wrap it. */
function sourceOf(error: unknown): { readonly code: string; readonly reason: string } {
  const chain: DriverError[] = [];
  for (let each: unknown = error; isDriverError(each) && chain.length < 8;) {
    chain.push(each);
    each = each.cause ?? each.parent ?? each.meta?.driverAdapterError ?? each.errors?.[0];
  }
  const codes = chain.map(({ code }) => code);
  const code = codes.find((each) => typeof each === 'string' && isKnown(each)) as string | undefined;
  const messages = chain.flatMap(({ message }) =>
    typeof message === 'string' && message !== '' ? [message] : [],
  );
  const [line = ''] = (messages.at(-1) ?? 'no message').split('\n', 1);
  const reason = line.replace(/\.$/, '');
  return { code: code ?? '', reason };
}

function isKnown(code: string): boolean {
  return Object.hasOwn(explanations, code) || connectionStates.test(code) || systemCodes.test(code);
}

function isDriverError(value: unknown): value is DriverError {
  return typeof value === 'object' && value !== null;
}
