import type { Accepts, Answers } from '@plant-store/contract';
import { afterThisTest } from '@plant-store/test-support';
import type { PlantOf } from '../../src/answers/answered-types.js';
import { bytes, type NewPlantSender, type NewPlantSenderOptions, PlantStoreError } from '../../src/index.js';
import { createSenderUnder } from '../../src/new-plant-sender.js';

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

/** A sender under a set of answers. It ends with the test. */
export function openSenderUnder<const Given extends Answers, Plant extends PlantOf<Given> = PlantOf<Given>>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
  accepted: Accepts = {},
): NewPlantSender<Plant, Given> {
  const sender = createSenderUnder<Given, Plant>(given, options, accepted);
  afterThisTest(() => sender.close());
  return sender;
}

/** The error of a promise that must reject with a `PlantStoreError`. */
export async function rejection(promise: Promise<unknown>): Promise<PlantStoreError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PlantStoreError) return error;
  throw new Error(`Expected a PlantStoreError, got ${String(error)}.`, { cause: error });
}
