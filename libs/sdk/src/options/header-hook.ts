import type { ContentMethod } from '@plant-store/contract';

/** A delivery that is about to be sent, as the `headers` hook sees it. */
export interface OutgoingDelivery {
  readonly method: ContentMethod;
  /** Where it goes: `baseUrl` with the delivery path appended. */
  readonly url: string;
  /** The very bytes that will be sent. */
  readonly content: Uint8Array;
  /** The value of Content-Type; absent where `encode` names no media type. */
  readonly mediaType?: string;
  /** The identifier of the event; absent unless the question event-identity is answered with a header. */
  readonly eventId?: string;
}

/** Gives header fields to add to a delivery, as for a signature. */
export type HeaderHook = (delivery: OutgoingDelivery) => Readonly<Record<string, string>>;
