import { type IncomingDelivery, SENT } from './delivery.js';
import { raw } from './sql.js';
import type { Row } from './store.js';

/** The columns of an arrival, without the content. */
export const SENT_COLUMNS: readonly string[] = Object.values(SENT);

/** A selection of columns by the names that the code has for them. */
const selection = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, column]) => `${column} AS "${name}"`)
    .join(', ');

/** What a handler gets of a delivery. */
const CLAIMED_COLUMNS = {
  ...{ id: 'id', receivedAt: 'received_at', attempts: 'attempts', startedAt: 'claimed_at' },
  ...SENT,
  content: 'content',
};

export const CLAIMED = selection(CLAIMED_COLUMNS);

const CLAIMED_NAMES = Object.keys(CLAIMED_COLUMNS);

/** A row from values in the order of {@link CLAIMED}. */
export function claimedRow(values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (const [index, name] of CLAIMED_NAMES.entries()) row[name] = values[index];
  return row;
}

/** Read behind the content, so only where that is read too. */
const NOT_LISTED: readonly string[] = ['key', 'fields'];

/** What a list shows. */
const LISTED = {
  id: 'id',
  state: 'state',
  receivedAt: 'received_at',
  dueAt: "CASE WHEN state = 'retrying' THEN due_at END",
  startedAt: 'claimed_at',
  endedAt: 'ended_at',
  replayedAt: 'replayed_at',
  attempts: 'attempts',
  error: 'error',
  reason: 'reason',
  ...Object.fromEntries(Object.entries(SENT).filter(([name]) => !NOT_LISTED.includes(name))),
  bytes: 'coalesce(discarded_bytes, length(content))',
};

/** So many bytes of a content are shown in a list. */
const PREVIEWED = 120;

export const SUMMARY = raw(selection({ ...LISTED, preview: `substr(content, 1, ${PREVIEWED})` }));

export const WHOLE = raw(selection({ ...LISTED, key: 'key', fields: 'fields', content: 'content' }));

/** A row with what was sent. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- The columns are known by the statement.
export function withSent<Parsed extends Pick<IncomingDelivery, 'fields' | 'content'>>(row: Row): Parsed {
  const fields = JSON.parse(row['fields'] as string) as Parsed['fields'];
  const { buffer, byteOffset, byteLength } = row['content'] as Uint8Array<ArrayBuffer>;
  const content: Parsed['content'] = Buffer.from(buffer, byteOffset, byteLength);
  return { ...row, fields, content } as Parsed;
}
