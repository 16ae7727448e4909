import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';

import type { Attempt } from '../dispatch/attempt.js';
import type { Delivery } from '../inbox/inbox.js';
import { LOGGER } from '../logging/logger.js';

/**
 * What happens with a new plant. **Replace the body of `handle` with what your team does.**
 *
 * It gets each delivery at least once: it may be called again for the same delivery after a failure, a
 * time-out or a crash. What it throws is kept with the delivery, which then comes again with backoff; after
 * the last attempt the delivery is parked. The content is the bytes that were sent: nobody has said yet
 * what they mean (questions `payload`, `plant-fields`, `media-type`).
 */
@Injectable()
export class NewPlantHandler {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** @param _attempt its `signal` aborts when the attempt has taken too long, or when the receiver stops */
  handle(delivery: Delivery, _attempt: Attempt): Promise<void> | void {
    const { id, method, mediaType, content } = delivery;
    this.logger.debug(
      { delivery: id, method, mediaType, bytes: content.length },
      'a new plant was added to the store',
    );
  }
}
