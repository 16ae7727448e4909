import { Injectable } from '@nestjs/common';

import type { Delivery } from '../inbox/delivery.js';

/**
 * What happens with a new plant: nothing yet. **Replace the body of `handle` with what your team does.**
 *
 * - It gets each delivery at least once: again after a failure, a time-out or a crash.
 * - If it throws, the error is stored with the delivery, and the delivery comes again with backoff. After the last
 *   attempt the delivery is parked.
 * - What it injects is provided in handler.module.ts.
 * - If it ends the process, that attempt has failed too. docs/how-to/write-a-handler.md lists what the receiver survives.
 * - The content is the bytes that were sent. Their meaning is an open question (`payload`, `plant-fields`,
 *   `media-type`).
 * - It may take a second parameter, the `Attempt` of attempt.ts. Its `signal` aborts when the attempt has taken too
 *   long, or when the receiver stops. On the shared inbox, its `transaction` writes to the database exactly once.
 */
@Injectable()
export class NewPlantHandler {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- For your team.
  handle(_delivery: Delivery): Promise<void> | void {}
}
