import { createHash, randomBytes, randomInt } from 'node:crypto';

import { NotAcknowledgedError, PlantStoreError } from '@plant-store/sdk';

import type { OpenSender } from './open-sender.js';

/** Sizes of contents: within a page of SQLite, across some, and across many. */
const SIZES = [32, 700, 4_096, 20_000, 150_000];

/** Names content that is unlike any other. */
export const nameOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** What became of a load. Contents are named by their digests. */
export class Load {
  readonly acknowledged = new Set<string>();
  /** Answered, and not with a 2xx. */
  readonly refused = new Map<string, number>();
  /** The connection failed: the receiver may have kept them. */
  readonly unknown = new Set<string>();

  /**
   * Sends unique contents, several at a time, until it is told to stop or a connection fails.
   *
   * @param goesOn asked after each delivery
   * @param sizes of contents, drawn from at random
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
        connected = (await this.#deliver(sender, randomBytes(sizes[randomInt(sizes.length)]!))) && connected;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, work));
  }

  /** Whether the receiver answered. */
  async #deliver(sender: OpenSender, content: Uint8Array): Promise<boolean> {
    const name = nameOf(content);
    try {
      await sender.send(content);
      this.acknowledged.add(name);
      return true;
    } catch (error) {
      if (error instanceof NotAcknowledgedError) {
        this.refused.set(name, error.status);
        return true;
      }
      if (!(error instanceof PlantStoreError)) throw error;
      if (error.outcome === 'unknown') this.unknown.add(name);
      return false;
    }
  }
}
