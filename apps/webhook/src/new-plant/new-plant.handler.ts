import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';

import type { Delivery } from '../inbox/inbox.js';
import { LOGGER } from '../logging/logger.js';

/**
 * What happens with a new plant. **Replace the body of `handle` with what your team does.**
 *
 * It gets each delivery at least once: it may be called again for the same delivery after a failure, a
 * time-out or a crash. What it throws is kept with the delivery, which then comes again with backoff; after
 * the last attempt the delivery is parked. The content is the bytes that were sent: nobody has said yet
 * what they mean (questions `payload`, `plant-fields`, `media-type`).
 *
 * It may take a second parameter, the `Attempt` of dispatch/attempt.ts: its `signal` aborts when the attempt has
 * taken too long, or when the receiver stops.
 */
@Injectable()
export class NewPlantHandler {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  handle(delivery: Delivery): Promise<void> | void {
    const { id, method, mediaType, content } = delivery;
    this.logger.debug(
      { delivery: id, method, mediaType, bytes: content.length },
      'a new plant was added to the store',
    );
  }
}
