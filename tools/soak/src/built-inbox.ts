/** What the soak uses of the embedded inbox that the receiver was built with: apps/webhook/src/inbox/inbox.ts. */
export interface BuiltInbox {
  accept(delivery: BuiltDelivery): Promise<number>;
  recover(maxWait: number): Promise<readonly Counted[]>;
  claim(limit: number): Promise<{
    readonly deliveries: readonly (BuiltDelivery & Counted)[];
    readonly unreadable?: readonly Counted[];
  }>;
  settle(delivery: Counted, result: Result): Promise<void>;
  counts(): Promise<{ readonly waiting: number; readonly parked: number }>;
  close(): Promise<void>;
}

/** A delivery as it was sent. */
export interface BuiltDelivery {
  readonly method: string;
  readonly mediaType: string | null;
  readonly contentEncoding: string | null;
  readonly eventId: string | null;
  readonly content: Buffer;
}

/** A delivery that is claimed. */
export interface Counted {
  readonly id: number;
  readonly failures: number;
}

/** The result of an attempt. */
export type Result =
  | { readonly kind: 'handled' }
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfter: number }
  | { readonly kind: 'parked'; readonly error: string };

const BUILT = '../../../apps/webhook/dist/inbox/';

/** Opens an inbox as the built receiver does, in this process. */
export type OpenInbox = (folder: string) => BuiltInbox;

export async function loadOpenInbox(): Promise<OpenInbox> {
  const module = (await import(new URL(`${BUILT}sqlite-inbox.js`, import.meta.url).href)) as {
    openSqliteInbox: OpenInbox;
  };
  return module.openSqliteInbox;
}
