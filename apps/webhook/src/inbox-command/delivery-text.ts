import type { DeliverySummary, StoredDelivery } from '../inbox/inbox-operations.js';
import { type Column, nameTable, table } from './terminal/table.js';

/** A time as programs read it. */
export const isoTime = (time: number): string => new Date(time).toISOString();

/** A time as people read it, in UTC. */
export const shownTime = (time: number): string => `${isoTime(time).slice(0, 19)}Z`;

const isoOrNull = (time: number | null): string | null => (time === null ? null : isoTime(time));

/** A delivery as JSON has it: times are ISO 8601. */
export function summaryJson(delivery: DeliverySummary): object {
  const { id, receivedAt, state, failures, error, dueAt, reason, eventId, method, mediaType } = delivery;
  return {
    id,
    receivedAt: isoTime(receivedAt),
    state,
    failures,
    error,
    dueAt: isoOrNull(dueAt),
    reason,
    eventId,
    method,
    mediaType,
    contentEncoding: delivery.contentEncoding,
    bytes: delivery.bytes,
  };
}

/** The same with what was sent; the content is in base64. `import` reads it. */
export function deliveryJson(delivery: StoredDelivery): object {
  return {
    ...summaryJson(delivery),
    fields: delivery.fields,
    content: Buffer.from(delivery.content).toString('base64'),
  };
}

const COLUMNS: readonly Column<DeliverySummary>[] = [
  { heading: 'ID', isNumber: true, cell: ({ id }) => `${id}` },
  { heading: 'STATE', cell: ({ state }) => state },
  { heading: 'RECEIVED', cell: ({ receivedAt }) => shownTime(receivedAt) },
  { heading: 'BYTES', isNumber: true, cell: ({ bytes }) => `${bytes}` },
  { heading: 'FAILURES', isNumber: true, cell: ({ failures }) => `${failures}` },
  { heading: 'EVENT', isOptional: true, cell: ({ eventId }) => eventId ?? '' },
  { heading: 'ERROR OR REASON', isOptional: true, cell: ({ error, reason }) => reason ?? error ?? '' },
];

/** @param width see {@link table} */
export const deliveryTable = (deliveries: readonly DeliverySummary[], width: number | undefined): string =>
  table(COLUMNS, deliveries, width);

/** Everything about a delivery but its content. */
export function headText(delivery: StoredDelivery): string {
  const rows: [string, string | null][] = [
    ['id', `${delivery.id}`],
    ['state', delivery.state],
    ['received', isoTime(delivery.receivedAt)],
    ['failures', `${delivery.failures}`],
    ['error', delivery.error],
    ['comes again', isoOrNull(delivery.dueAt)],
    ['reason', delivery.reason],
    ['event', delivery.eventId],
    ['method', delivery.method],
    ['media type', delivery.mediaType],
    ['encoding', delivery.contentEncoding],
    ['content', `${delivery.bytes} bytes`],
  ];
  const facts = nameTable(rows.filter((row): row is [string, string] => row[1] !== null));
  if (delivery.fields.length === 0) return facts;
  return `${facts}\n${nameTable(delivery.fields.map(([name, value]) => [`${name}:`, value]))}`;
}
