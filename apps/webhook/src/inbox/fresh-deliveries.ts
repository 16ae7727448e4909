import type { Delivery, IncomingDelivery } from './inbox.js';

/** Most content and fields of new deliveries in memory for the handler, in bytes. The rest is read from the file. */
const MAX_BYTES = 8 * 1_048_576;

/** New deliveries that follow the last claimed one without a gap, so that they needn't be read from the file. */
export class FreshDeliveries {
  readonly #deliveries: Delivery[] = [];
  #bytes = 0;

  /** Keeps a delivery if it follows the last one, or the last claimed one, and if there is room. */
  add(delivery: Delivery, claimedThrough: number): void {
    const previous = this.#deliveries.at(-1)?.id ?? claimedThrough;
    const size = sizeOf(delivery);
    if (previous !== delivery.id - 1 || this.#bytes + size > MAX_BYTES) return;
    this.#deliveries.push(delivery);
    this.#bytes += size;
  }

  /** The first ones. They stay until they are dropped. */
  first(limit: number): Delivery[] {
    return this.#deliveries.slice(0, limit);
  }

  /** Drops the first ones, at most as many as there are. */
  drop(count: number): void {
    for (const delivery of this.#deliveries.splice(0, count)) this.#bytes -= sizeOf(delivery);
  }
}

/** Bytes of content and fields, about. */
export function sizeOf({ content, fields }: IncomingDelivery): number {
  let size = content.length;
  for (const field of fields) size += field[0].length + field[1].length;
  return size;
}
