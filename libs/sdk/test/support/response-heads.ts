import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterThisTest } from '@plant-store/test-support';

const CHANNEL = 'undici:request:headers';

/** Resolves once the status and the header fields of so many responses have arrived at the sender. */
export function responseHeads(count = 1): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const onHead = (): void => {
      seen += 1;
      // undici publishes the message before it calls the handler.
      if (seen === count) setImmediate(resolve);
    };
    subscribe(CHANNEL, onHead);
    afterThisTest(() => unsubscribe(CHANNEL, onHead));
  });
}
