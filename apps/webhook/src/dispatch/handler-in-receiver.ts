import { once } from 'node:events';

import { callHandler, type DeliveryHandler, type HandlerHost } from './handler-host.js';
import type { OpenHandler } from './open-handler.js';

/** Runs the handler in this process. */
export class HandlerInReceiver implements HandlerHost {
  readonly isReady = true;

  constructor(private readonly handler: OpenHandler) {}

  start(onReady: () => void): void {
    onReady();
  }

  readonly run: DeliveryHandler = (delivery, attempt) => callHandler(this.handler.handle, delivery, attempt);

  async stop(deadline: AbortSignal): Promise<void> {
    const closed = this.handler.close();
    if (!deadline.aborted) await Promise.race([closed, once(deadline, 'abort')]);
  }
}
