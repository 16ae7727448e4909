import type { AnswerValues } from '@plant-store/contract';
import type { AnyPlant, EventOptions, GivenAnswers } from '../answers/answered-types.js';
import type { Encoding } from '../encoders/plant-encoder.js';
import { answeredSettingsOf } from '../answers/settings-table.js';
import { invalidOption, unexpected } from '../errors/invalid-options-error.js';
import { notSent } from '../errors/plant-store-error.js';
import { published } from '../new-plant-sender.js';
import { checkNames, readOptions } from '../options/read-options.js';
import { readEncoder } from '../options/resolve-settings.js';
import type { OptionalArgument } from '../options/send-options.js';
import type { NewPlantSenderOptions } from '../options/sender-options.js';
import type { OutboxDatabase } from './database.js';
import { toOutboxError } from './outbox-error.js';
import {
  changeParked,
  findEntry,
  listParked,
  type ListOptions,
  type OutboxEntry,
  type OutboxEntryWithContent,
  type OutboxStatus,
  readStatus,
  type Selection,
} from './entries.js';
import { migrate } from './schema.js';

/** Options of an outbox under the answers given so far. */
export interface OutboxOptions<Plant> extends Pick<NewPlantSenderOptions<Plant>, 'encode'> {
  /** The database with the outbox: a `Pool` of `pg`. `enqueue` doesn't use it. */
  readonly database: OutboxDatabase;
}

/**
 * Options of `enqueue` under the answers given so far: those of `send` about the event. The others are refused. Without
 * a member, the type would allow everything.
 */
export interface EnqueueOptions extends EventOptions<GivenAnswers> {
  /** The `headers` option of the relay's sender adds header fields to each attempt. */
  readonly headers?: never;
}

/**
 * The caller's transaction: anything that runs one SQL statement in it. A client of `pg` and an `EntityManager` of
 * TypeORM fit as they are; docs/outbox.md shows seven other libraries.
 */
export interface Transaction {
  /** Runs a statement. `$1` in its text is the first value; each value is used once, in this order. */
  query(text: string, values: unknown[]): PromiseLike<unknown>;
}

/** The outbox of one receiver, in one PostgreSQL database. */
export interface Outbox<Plant> {
  /** The database with the outbox. */
  readonly database: OutboxDatabase;
  /**
   * Records the notification of a plant in the caller's transaction, with one statement. It is sent if, and only if, the
   * transaction is committed. The plant is encoded now: every attempt sends the same bytes, with the same media type and
   * identifier of the event.
   *
   * @throws PlantStoreError as `send` does for a plant that can't be encoded, or if its content has more than 128 MiB
   * @throws InvalidOptionsError if an option is invalid, or the transaction has no `query`
   * @throws OutboxError `PLANT_STORE_OUTBOX_NO_TRANSACTION` if the statement runs outside a transaction
   * @throws OutboxError if the statement fails; the transaction must be rolled back
   */
  enqueue(
    transaction: Transaction,
    plant: Plant,
    ...options: OptionalArgument<EnqueueOptions>
  ): Promise<void>;
  /**
   * Creates the tables, or brings them to the version that this package needs. Several may do it at once.
   *
   * @returns the version before; 0 if there were no tables
   */
  migrate(): Promise<number>;
  /** Counts the entries that wait, are being sent, and are parked. */
  status(): Promise<OutboxStatus>;
  /** Lists parked entries, the oldest first. @throws InvalidOptionsError with every fault of the options */
  listParked(options?: ListOptions): Promise<OutboxEntry[]>;
  /** An entry with its content; `undefined` if there is none. */
  find(id: number): Promise<OutboxEntryWithContent | undefined>;
  /** Lets relays send parked entries again, from the first attempt. @returns how many there were */
  replay(entries: Selection): Promise<number>;
  /** Gives parked entries up. They are deleted when delivered ones would be. @returns how many there were */
  discard(entries: Selection): Promise<number>;
}

/**
 * Creates an outbox. It opens no connection.
 *
 * @typeParam Plant The type of the plants: any type, until the question plant-fields is answered with a schema.
 * @throws InvalidOptionsError with every fault of the options
 */
export function createOutbox<Plant extends AnyPlant = AnyPlant>(
  options: OutboxOptions<Plant>,
): Outbox<Plant> {
  return openOutbox<Plant>(published.answers, options);
}

/** Creates an outbox under any answers. */
export function openOutbox<Plant>(given: AnswerValues, raw: object = {}): Outbox<Plant> {
  const answered = answeredSettingsOf(given);
  const readers = {
    database: readDatabase,
    encode: (encode: unknown) => readEncoder<Plant>(answered, encode),
  };
  const { database, encode } = readOptions(readers, raw, 'an outbox');
  return {
    database,
    enqueue: (transaction, plant, options?: unknown) => enqueue(encode, transaction, plant, options),
    migrate: () => migrate(database),
    status: () => readStatus(database),
    listParked: (list) => listParked(database, list),
    find: (id) => findEntry(database, id),
    replay: (entries) => changeParked(database, 'waiting', entries),
    discard: (entries) => changeParked(database, 'discarded', entries),
  };
}

function readDatabase(option: unknown): OutboxDatabase {
  const { connect, query } = (option ?? {}) as Partial<OutboxDatabase>;
  if (typeof connect === 'function' && typeof query === 'function') return option as OutboxDatabase;
  throw unexpected('database', option, 'a Pool of pg.');
}

/** The largest content of an entry, in bytes. A relay reads it as text of twice its length, which Node limits. */
const MAX_CONTENT = 128 * 1_048_576;

const ENQUEUE = 'CALL plant_store_outbox.enqueue($1, $2, $3)';

async function enqueue<Plant>(
  encode: Encoding<Plant>,
  transaction: Transaction,
  plant: Plant,
  options: unknown = {},
): Promise<void> {
  // The encoder checks what answers ask for.
  const event = checkNames(options, ['eventId', 'event'], '`enqueue`');
  const { content, mediaType = null, eventId = null } = encode.encode(plant, event);
  if (typeof (transaction as Partial<Transaction> | undefined)?.query !== 'function')
    throw invalidOption(
      'transaction',
      'must be a client of pg, or have `query(text, values)` (docs/outbox.md).',
    );
  const { byteLength } = content;
  if (byteLength > MAX_CONTENT) {
    const message = `The content has ${byteLength} bytes. The limit of an outbox is ${MAX_CONTENT}.`;
    throw notSent('PLANT_STORE_CONTENT_TOO_LARGE', message);
  }
  const bytes = Buffer.from(content.buffer, content.byteOffset, byteLength);
  try {
    await transaction.query(ENQUEUE, [bytes, mediaType, eventId]);
  } catch (error) {
    throw toOutboxError(error);
  }
}
