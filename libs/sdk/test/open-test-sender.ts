import { bytes, type NewPlantSender, type NewPlantSenderOptions } from '../src/index.js';
import { openSenderUnder } from './open-sender-under.js';

/** Content that says nothing of what a plant looks like. */
export const arbitrary = 'arbitrary content';

/** A token that no other text in the tests contains. */
export const accessToken = 's3cret-t0ken';

/** Every question is open. */
export type Open = Readonly<Record<never, never>>;

type Options = NewPlantSenderOptions<string | Uint8Array, Open>;

/** A sender with every question open. It ends with the test. */
export function openTestSender(
  options: Pick<Options, 'baseUrl'> & Partial<Options>,
): NewPlantSender<string | Uint8Array, Open> {
  return openSenderUnder<Open, string | Uint8Array>(
    {},
    { accessToken, method: 'POST', encode: bytes(), ...options },
  );
}
