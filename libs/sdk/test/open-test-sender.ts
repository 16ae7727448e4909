import type { Answers } from '@plant-store/contract';
import { createSenderUnder } from '../src/create-sender-under.js';
import { bytes, type NewPlantSender, type NewPlantSenderOptions } from '../src/index.js';
import { afterThisTest } from './teardown.js';

/** Content that says nothing of what a plant looks like. */
export const arbitrary = 'arbitrary content';

/** A token that no other text in the tests contains. */
export const accessToken = 's3cret-t0ken';

type Options = NewPlantSenderOptions<string | Uint8Array, Record<never, never>>;

/** A sender with every question open. It ends with the test. */
export function openTestSender(
  options: Pick<Options, 'baseUrl'> & Partial<Options>,
): NewPlantSender<string | Uint8Array> {
  const open = {} satisfies Answers;
  const sender = createSenderUnder<string | Uint8Array, typeof open>(open, {
    accessToken,
    method: 'POST',
    encode: bytes(),
    ...options,
  });
  afterThisTest(() => sender.close());
  return sender;
}
