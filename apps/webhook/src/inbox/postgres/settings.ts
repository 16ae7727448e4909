/**
 * Settings of each transaction that writes, because a session may have other users under PgBouncer. A commit is flushed
 * here, and on the standbys that `synchronous_standby_names` asks for; its warnings are told. A server notices that the
 * receiver is gone also while it waits.
 */
const DURABLE: readonly (readonly [name: string, value: string])[] = [
  [
    'synchronous_commit',
    "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END",
  ],
  ['client_min_messages', "'warning'"],
  ['client_connection_check_interval', "'1s'"],
];

/** Nobody waits longer for a row than a receiver waits for a reply. The plans of a queue are found by its indexes. */
const OF_THE_INBOX: typeof DURABLE = [
  ...DURABLE,
  ['lock_timeout', "'10s'"],
  ['enable_seqscan', "'off'"],
  ['jit', "'off'"],
];

const settingsIn = (settings: typeof DURABLE): string =>
  settings.map(([name, value]) => `set_config('${name}', ${value}, true)`).join(', ');

/** Columns of a selection that set them until the transaction ends. */
export const DURABLE_SETTINGS = settingsIn(DURABLE);
export const INBOX_SETTINGS = settingsIn(OF_THE_INBOX);
