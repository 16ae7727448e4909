import type pg from 'pg';

/** The time of the database. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Settings of each transaction that writes, because a session may have other users under PgBouncer. A commit is flushed
 * here, and on the standbys that `synchronous_standby_names` asks for; its warnings are told. What a receiver that is
 * gone has sent ends, or writes nothing, because its epoch has ended.
 */
const DURABLE: Readonly<Record<string, string>> = {
  synchronous_commit:
    "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END",
  client_min_messages: "'warning'",
  client_connection_check_interval: "'1s'",
};

/** Columns of a selection that make settings until the transaction ends. */
const settingsIn = (settings: typeof DURABLE): string =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', ${value}, true)`)
    .join(', ');

export const DURABLE_SETTINGS = settingsIn(DURABLE);

/** Nobody waits longer for a row than a receiver waits for a reply. The plans of a queue are found by its indexes. */
export const INBOX_SETTINGS = settingsIn({
  ...DURABLE,
  lock_timeout: "'10s'",
  enable_seqscan: "'off'",
  jit: "'off'",
});

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
