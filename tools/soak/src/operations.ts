import type { StoredDelivery } from './ledger.js';

/** Its content is in base64. A discarded delivery has none. */
type ListedDelivery = Omit<StoredDelivery, 'content'> & { readonly content?: string | null };

/**
 * A client of the operations listener: docs/reference/operations.md. Rejects with a TypeError if the receiver has ended,
 * as `fetch` does, and with another error if it refuses.
 */
export class Operations {
  /** @param url of the listener */
  constructor(private readonly url: string) {}

  /** How many deliveries are neither handled nor parked. */
  async unhandled(): Promise<number> {
    const stats = (await this.#get('/stats')) as Record<'waiting' | 'running' | 'retrying', number>;
    return stats.waiting + stats.running + stats.retrying;
  }

  /** Everything that is stored, in the order of the ids. */
  async *read(): AsyncGenerator<StoredDelivery> {
    for (let next: number | null = 0; next !== null;) {
      const part = (await this.#get(`/deliveries/batch?limit=200&after=${next}`)) as {
        readonly deliveries: readonly ListedDelivery[];
        readonly next: number | null;
      };
      for (const delivery of part.deliveries)
        yield { ...delivery, content: Buffer.from(delivery.content ?? '', 'base64') };
      next = part.next;
    }
  }

  /** Ids of the newest deliveries in a state. */
  async list(state: StoredDelivery['state']): Promise<number[]> {
    const { deliveries } = (await this.#get(`/deliveries?state=${state}&limit=50`)) as {
      readonly deliveries: readonly { readonly id: number }[];
    };
    return deliveries.map(({ id }) => id);
  }

  /** The content of a delivery. What comes for one that has been deleted since it was listed isn't from a sender. */
  async content(id: number): Promise<Buffer> {
    const response = await this.#ask(`/deliveries/${id}/content`);
    return Buffer.from(await response.arrayBuffer());
  }

  async change(path: string, content: object = {}): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await this.#ask(path, { method: 'POST', headers, body: JSON.stringify(content) });
    await response.arrayBuffer();
  }

  async #get(path: string): Promise<unknown> {
    return (await this.#ask(path)).json();
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(new URL(path, this.url), init);
    if (response.ok || response.status === 404) return response;
    const { method = 'GET' } = init;
    throw new Error(`${method} ${path} got ${response.status}: ${await response.text()}`);
  }
}
