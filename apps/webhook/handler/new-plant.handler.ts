import { Injectable } from '@nestjs/common';
import type { Attempt, Delivery, Handler } from '@plant-store/handler';

/**
 * Gets each new plant, and does nothing with it yet. **Replace this class with what your team does.**
 *
 * - It gets each delivery at least once: again after a failure, a time-out or a crash, with the same `key`.
 * - It returns nothing, or a promise of nothing. With anything else the attempt has failed.
 * - If it throws, the error is stored with the delivery, and the delivery comes again with backoff. After the last
 *   attempt the delivery is parked.
 * - The content is the bytes that were sent. Their meaning is an open question (`payload`, `plant-fields`,
 *   `media-type`).
 * - The signal aborts when the attempt has taken too long, or when the receiver stops.
 *
 * docs/how-to/write-a-handler.md has the rest.
 */
@Injectable()
export class NewPlantHandler implements Handler {
  async handle(delivery: Delivery, attempt: Attempt): Promise<void> {}
}
