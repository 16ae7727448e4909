import { answers } from '@plant-store/contract';
import type { PlantOf } from './answers/option-table.js';
import { createSenderUnder } from './create-sender-under.js';
import type { NewPlantSender } from './new-plant-sender.js';
import type { NewPlantSenderOptions } from './options/new-plant-sender-options.js';

/**
 * Creates a sender of the New Plant notification. All that can be decided is decided here; a sender is made
 * once, used for many deliveries, and closed.
 *
 * @typeParam Plant What is sent: anything, until the question plant-fields is answered; then what its schema takes.
 * @throws InvalidOptionsError with every fault of the options; a fault names the open question that makes
 *   an option required.
 */
export function createNewPlantSender<Plant extends PlantOf<typeof answers> = PlantOf<typeof answers>>(
  options: NewPlantSenderOptions<Plant>,
): NewPlantSender<Plant> {
  return createSenderUnder<typeof answers, Plant>(answers, options);
}
