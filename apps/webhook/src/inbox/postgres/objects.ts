import { readFileSync } from 'node:fs';

import type pg from 'pg';

import { ReceiverError } from '../../errors.js';
import { lackingOf } from '../migrations.js';

/** What the migrations make, a line for each. A test compares it with a new database. */
const NEEDED = JSON.parse(
  readFileSync(new URL('../../../migrations/postgres-objects.json', import.meta.url), 'utf8'),
) as string[];

/** What there is, and whether this user has the rights to it that a receiver needs. */
export const OBJECTS = `
  WITH object AS (
    SELECT c.oid, c.relname AS name, c.relkind AS kind FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'plant_store' AND c.relkind IN ('r', 'p', 'i', 'S')
  )
  SELECT 'table ' || name AS object, has_table_privilege(oid, 'SELECT')
    AND (name = 'schema_version' OR has_table_privilege(oid, 'UPDATE'))
    AND (name IN ('schema_version', 'inbox_state') OR has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'DELETE'))
    AS is_allowed
  FROM object WHERE kind IN ('r', 'p')
  UNION ALL SELECT 'column ' || name || '.' || attname, true
  FROM object JOIN pg_attribute ON attrelid = oid WHERE kind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT 'index ' || name, true FROM object JOIN pg_index ON indexrelid = oid WHERE indisvalid
  UNION ALL SELECT 'sequence ' || name, name <> 'delivery_id' OR has_sequence_privilege(oid, 'USAGE')
  FROM object WHERE kind = 'S'
  UNION ALL SELECT CASE prokind WHEN 'p' THEN 'procedure ' ELSE 'function ' END || proname,
    has_function_privilege(p.oid, 'EXECUTE')
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace WHERE nspname = 'plant_store'
  ORDER BY 1`;

interface ObjectRow {
  readonly object: string;
  readonly is_allowed: boolean;
}

/**
 * Makes sure that a database has all that the migrations have made, and that this user may use it.
 *
 * @throws ReceiverError `INBOX_DAMAGED` with what is missing, `INBOX_UNUSABLE` with what the user has no rights to
 */
export async function requireObjects(client: pg.ClientBase, location: string): Promise<void> {
  const { rows } = await client.query<ObjectRow>(OBJECTS);
  const lacking = lackingOf(
    NEEDED,
    rows.map(({ object }) => object),
  );
  if (lacking.length === 0) {
    const { rowCount } = await client.query('SELECT FROM plant_store.inbox_state');
    if (rowCount !== 1) lacking.push('the one row of inbox_state');
  }
  if (lacking.length > 0) throw damaged(location, lacking);
  const denied = rows.filter(({ object, is_allowed }) => !is_allowed && NEEDED.includes(object));
  if (denied.length > 0)
    throw new ReceiverError(
      'INBOX_UNUSABLE',
      `The inbox at ${location} cannot be used: its user may not use ${denied.map(({ object }) => object).join(', ')}. Give the user the rights that docs/how-to/share-an-inbox.md lists under "Set it up".`,
    );
}

/** An inbox of which something was deleted, or not restored. */
export function damaged(location: string, lacking: readonly string[]): ReceiverError {
  return new ReceiverError(
    'INBOX_DAMAGED',
    `The inbox at ${location} is damaged: it lacks ${lacking.join(', ')}. Restore the schema plant_store from a backup.`,
  );
}
