import { createHash, randomBytes, randomInt } from 'node:crypto';

import { bytes, NotAcknowledgedError, PlantStoreError } from '@plant-store/sdk';
import { createSenderUnder, type SenderUnder } from '@plant-store/sdk/internal';
import { afterThisTest } from '@plant-store/test-support';

import { ACCESS_TOKEN } from './messages.js';

/** The sender while every question is open. */
export type OpenSender = SenderUnder<Uint8Array | string, Record<never, never>>;

/** Opens the SDK's sender to a receiver, or to a proxy with a certificate of its own. It closes after the test. */
export function openSender(
  { origin, certificate }: { readonly origin: string; readonly certificate?: string },
  accessToken: string = ACCESS_TOKEN,
): OpenSender {
  const options = {
    baseUrl: origin,
    ca: certificate,
    accessToken,
    method: 'POST',
    encode: bytes('application/octet-stream'),
  } as const;
  const sender: OpenSender = createSenderUnder(options, { answers: {} });
  afterThisTest(() => sender.close());
  return sender;
}

/** Sizes of contents: within a page of SQLite, across a few, across many. */
const SIZES = [32, 700, 4_096, 20_000, 150_000];

/** Names unique content by its digest. */
export const nameOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** What the sender knows about a delivery. Of one that failed, the connection did. */
type Outcome = 'acknowledged' | 'refused' | 'failed';

/** Many deliveries, and what their sender knows about each. Contents are named by `nameOf`. */
export class Load {
  readonly acknowledged = new Set<string>();
  /** Responses other than 2xx: status by name. */
  readonly refused = new Map<string, number>();
  /** The connection failed. The receiver may have stored them. */
  readonly unknown = new Set<string>();

  /**
   * Sends unique contents, several at a time, until `goesOn` says no or a connection fails.
   *
   * @param goesOn asked before each delivery
   * @param sizes of contents; each delivery has a random one
   */
  async send(
    sender: OpenSender,
    inFlight: number,
    goesOn: () => boolean,
    sizes: readonly number[] = SIZES,
  ): Promise<void> {
    let connected = true;
    const work = async (): Promise<void> => {
      while (connected && goesOn()) {
        connected = (await this.deliver(sender, sizes)) !== 'failed' && connected;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
  }

  /** Sends unique content of one of these sizes. */
  protected async deliver(sender: OpenSender, sizes: readonly number[]): Promise<Outcome> {
    const content = randomBytes(sizes[randomInt(sizes.length)]!);
    const name = nameOf(content);
    try {
      await sender.send(content);
      this.acknowledged.add(name);
      return 'acknowledged';
    } catch (error) {
      if (error instanceof NotAcknowledgedError) {
        this.refused.set(name, error.status);
        return 'refused';
      }
      if (!(error instanceof PlantStoreError)) throw error;
      if (error.outcome === 'unknown') this.unknown.add(name);
      return 'failed';
    }
  }
}
