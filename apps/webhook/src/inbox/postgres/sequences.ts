import type pg from 'pg';

import { ReceiverError } from '../../errors.js';
import { BEGIN_BRIEFLY } from './durable.js';

/** Key of the lock under which sequences are set. */
const LOCK = 0x706c616f;

/** The sequences that would give a number again. Logical replication copies rows, and not the sequences behind them. */
const BEHIND = `
  SELECT name, most FROM (VALUES
    ('plant_store.delivery_id', (SELECT max(id) FROM plant_store.delivery)),
    (pg_get_serial_sequence('plant_store.attempt', 'id'), (SELECT max(id) FROM plant_store.attempt)),
    (pg_get_serial_sequence('plant_store.act', 'id'), (SELECT max(id) FROM plant_store.act)),
    (pg_get_serial_sequence('plant_store.receiver', 'epoch'), (SELECT max(epoch) FROM plant_store.receiver))
  ) AS sequence (name, most)
  WHERE most > CASE WHEN has_sequence_privilege(name, 'USAGE, SELECT')
    THEN coalesce(pg_sequence_last_value(name::regclass), 0) ELSE most END`;

const NO_RIGHT = '42501';
const DUPLICATE_KEY = '23505';

/**
 * Sets sequences that are behind the rows of their tables.
 *
 * @returns whether there was one
 * @throws ReceiverError `INBOX_UNUSABLE` if this user may not
 */
export async function catchUp(client: pg.ClientBase, location: string): Promise<boolean> {
  const { rows } = await client.query<{ readonly name: string; readonly most: number }>(BEHIND);
  if (rows.length === 0) return false;
  try {
    await client.query(`${BEGIN_BRIEFLY}; SELECT pg_advisory_xact_lock(${LOCK})`);
    // Another receiver may have set them meanwhile, and given more numbers.
    await client.query(`SELECT setval(name::regclass, most) FROM (${BEHIND}) AS behind; COMMIT`);
    return true;
  } catch (cause) {
    await client.query('ROLLBACK');
    if ((cause as { code?: string }).code !== NO_RIGHT) throw cause;
    const statements = rows.map(({ name, most }) => `SELECT setval('${name}', ${most})`);
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      `The inbox at ${location} would give ids again: its sequences are behind its rows, and this user may not set them. Run as their owner: ${statements.join('; ')}.`,
      { cause },
    );
  }
}

/** Runs a transaction, and runs it again if it failed because a sequence was behind the rows of its table. */
export async function withSequences<Result>(
  client: pg.ClientBase,
  location: string,
  transact: () => Promise<Result>,
): Promise<Result> {
  try {
    return await transact();
  } catch (error) {
    if ((error as { code?: string }).code !== DUPLICATE_KEY) throw error;
    await client.query('ROLLBACK');
    if (!(await catchUp(client, location))) throw error;
    return transact();
  }
}
