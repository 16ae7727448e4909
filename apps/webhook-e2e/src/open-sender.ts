import { bytes, createNewPlantSender, type NewPlantSender } from '@plant-store/sdk';

import { ACCESS_TOKEN } from './access-token.js';
import type { RunningReceiver } from './start-receiver.js';
import { afterThisTest } from './teardown.js';

/** Opens the SDK's sender to a receiver. It ends with the test. */
export function openSender({ origin }: RunningReceiver): NewPlantSender<Uint8Array | string> {
  const sender = createNewPlantSender({
    baseUrl: origin,
    accessToken: ACCESS_TOKEN,
    method: 'POST',
    encode: bytes('application/octet-stream'),
  });
  afterThisTest(() => sender.close());
  return sender;
}
