import { once } from 'node:events';

import type { DeliveryHandler, HandlerHost } from './handler-host.js';
import type { OpenHandler } from './open-handler.js';

/** Runs the handler in this process. */
export class HandlerInReceiver implements HandlerHost {
  readonly isReady = true;

  readonly run: DeliveryHandler;

  constructor(private readonly handler: OpenHandler) {
    this.run = handler.run;
  }

  start(onReady: () => void): void {
    onReady();
  }

  async stop(deadline: AbortSignal): Promise<void> {
    const closed = this.handler.close();
    if (!deadline.aborted) await Promise.race([closed, once(deadline, 'abort')]);
  }
}
