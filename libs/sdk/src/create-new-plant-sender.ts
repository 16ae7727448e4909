import { answers } from '@plant-store/contract';
import { createSenderUnder } from './create-sender-under.js';
import type { NewPlantSender } from './new-plant-sender.js';
import type { NewPlantSenderOptions } from './options/new-plant-sender-options.js';

/**
 * Creates a sender of the New Plant notification. All that can be decided is decided here; a sender is made
 * once, used for many deliveries, and closed.
 *
 * @throws InvalidOptionsError with every fault of the options; a fault names the open question that makes
 *   an option required.
 */
export function createNewPlantSender<Plant>(options: NewPlantSenderOptions<Plant>): NewPlantSender<Plant> {
  return createSenderUnder<Plant, typeof answers>(answers, options);
}
