import type pg from 'pg';

/** The time of the database. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Whatever the role has as its default: with a stricter level, transactions that meet would fail. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** The same for one that has locks for which receivers wait. If its connection goes silent, the server soon ends it. */
export const BEGIN_BRIEFLY = `${BEGIN}; SET LOCAL idle_in_transaction_session_timeout = '20s'`;

/** Column of a selection that makes the settings of each transaction that writes, see postgres-11.sql. */
export const DURABLE_SETTINGS = 'plant_store.make_durable_11()';

/** The same for a whole session, which nobody else uses. */
export const DURABLE_SESSION = `
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') <> 'remote_apply';
  SET client_min_messages = warning; SET client_connection_check_interval = '1s'`;

/** Nobody waits longer for a row than a receiver waits for a reply. The plans of a queue are found by its indexes. */
export const INBOX_SETTINGS = `${DURABLE_SETTINGS}, set_config('lock_timeout', '10s', true),
  set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`;

/**
 * Runs a step that commits. A warning during it, such as that its wait for a standby was cancelled, means that it may be
 * on this server only.
 *
 * @throws Error if there was a warning
 */
export async function withoutWarning<Result>(
  client: pg.ClientBase,
  step: () => Promise<Result>,
): Promise<Result> {
  let warning: string | undefined;
  const onNotice = ({ message }: { message?: string | undefined }): void =>
    void (warning ??= message ?? 'a warning');
  client.on('notice', onNotice);
  try {
    const result = await step();
    if (warning !== undefined) throw new Error(`it is not certain that this is committed: ${warning}`);
    return result;
  } finally {
    client.off('notice', onNotice);
  }
}
