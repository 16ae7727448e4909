import type { Answers } from '@plant-store/contract';
import type { NewPlantSender } from './new-plant-sender.js';
import { openSender } from './open-sender.js';
import type { NewPlantSenderOptions, UncheckedOptions } from './options/new-plant-sender-options.js';
import { resolveSettings } from './options/resolve-settings.js';

/**
 * Creates a sender under a set of answers to the open questions.
 *
 * @throws InvalidOptionsError with every fault of the options.
 */
export function createSenderUnder<Plant, const Given extends Answers>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
): NewPlantSender<Plant> {
  return openSender(resolveSettings<Plant>(given, options as UncheckedOptions<Plant>));
}
