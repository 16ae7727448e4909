import type { Answers } from '@plant-store/contract';
import type { PlantOf } from './answers/option-table.js';
import type { NewPlantSender } from './new-plant-sender.js';
import { openSender } from './open-sender.js';
import type { NewPlantSenderOptions } from './options/new-plant-sender-options.js';
import { resolveSettings } from './options/resolve-settings.js';

/**
 * Creates a sender under a set of answers to the open questions.
 *
 * @throws InvalidOptionsError with every fault of the options, or every fault of the answers.
 */
export function createSenderUnder<const Given extends Answers, Plant extends PlantOf<Given> = PlantOf<Given>>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
): NewPlantSender<Plant, Given> {
  const settings = resolveSettings<Plant>(given, options);
  return openSender(settings) as unknown as NewPlantSender<Plant, Given>;
}
