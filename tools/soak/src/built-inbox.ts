import { createHash } from 'node:crypto';

/**
 * What the soak uses of the embedded inbox that the receiver was built with: see inbox.ts and inbox-operations.ts in
 * apps/webhook/src/inbox.
 */
export interface BuiltInbox {
  accept(delivery: BuiltDelivery): Promise<number>;
  recover(maxWait: number): Promise<readonly Counted[]>;
  claim(limit: number): Promise<{ readonly deliveries: readonly (BuiltDelivery & Counted)[] }>;
  settle(delivery: Counted, result: Result): Promise<void>;
  stats(): Promise<{ readonly waiting: number; readonly parked: number; readonly isPaused: boolean }>;
  read(batch: Batch): Promise<{ readonly deliveries: readonly StoredDelivery[]; readonly next?: number }>;
  replay(batch: Batch): Promise<{ readonly next?: number }>;
  discard(batch: Batch, reason: string): Promise<{ readonly next?: number }>;
  setPaused(isPaused: boolean): Promise<void>;
  removeExpired(retention: { maxAge: number; maxBytes: undefined; maxEventAge: number }): Promise<number>;
  close(): Promise<void>;
}

/** A delivery as it was sent. */
export interface BuiltDelivery {
  readonly method: string;
  readonly mediaType: string | null;
  readonly contentEncoding: string | null;
  readonly eventId: string | null;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly content: Buffer;
}

/** A delivery that is claimed. */
export interface Counted {
  readonly id: number;
  readonly failures: number;
}

/** A delivery that is stored. A discarded one has no fields and no content. */
export interface StoredDelivery extends BuiltDelivery, Counted {
  readonly state: 'handled' | 'waiting' | 'parked' | 'discarded';
}

/** A part of a selection. */
export interface Batch {
  readonly filter: { readonly firstId?: number; readonly lastId?: number };
  readonly after: number;
  readonly limit: number;
}

/** The result of an attempt. */
export type Result =
  | { readonly kind: 'handled' }
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfter: number }
  | { readonly kind: 'parked'; readonly error: string };

/** Opens an inbox as the built receiver does, in this process. */
export type OpenInbox = (folder: string) => BuiltInbox;

const BUILT = new URL('../../../apps/webhook/dist/inbox/sqlite-inbox.js', import.meta.url);

export async function loadOpenInbox(): Promise<OpenInbox> {
  const { openSqliteInbox } = (await import(BUILT.href)) as { openSqliteInbox: OpenInbox };
  return openSqliteInbox;
}

/** Everything that is stored, in the order of the ids. */
export async function readAll(inbox: BuiltInbox): Promise<StoredDelivery[]> {
  const all: StoredDelivery[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const { deliveries, next } = await inbox.read({ filter: {}, after, limit: 500 });
    for (const delivery of deliveries) all.push({ ...delivery, content: Buffer.from(delivery.content) });
    after = next;
  }
  return all;
}

/** Names a delivery by everything that was sent of it. */
export function digestOfDelivery({
  method,
  mediaType,
  contentEncoding,
  eventId,
  fields,
  content,
}: BuiltDelivery): string {
  const head = JSON.stringify([method, mediaType, contentEncoding, eventId, fields]);
  return createHash('sha256').update(head).update(content).digest('hex');
}
