import { bytes, createNewPlantSender, type NewPlantSender } from '@plant-store/sdk';

import { ACCESS_TOKEN } from './access-token.js';
import type { RunningReceiver } from './start-receiver.js';
import { afterThisTest } from './teardown.js';

/** The sender of a world in which everything is open. */
export type OpenSender = NewPlantSender<Uint8Array | string, Record<never, never>>;

/** Opens the SDK's sender to a receiver. It ends with the test. */
export function openSender({ origin }: RunningReceiver): OpenSender {
  const options = {
    baseUrl: origin,
    accessToken: ACCESS_TOKEN,
    method: 'POST',
    encode: bytes('application/octet-stream'),
  };
  // Its types follow the answers of today; what runs here has none (jest.config.mjs).
  const sender = createNewPlantSender(options as never) as unknown as OpenSender;
  afterThisTest(() => sender.close());
  return sender;
}
