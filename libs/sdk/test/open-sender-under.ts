import type { Answers } from '@plant-store/contract';
import type { PlantOf } from '../src/answers/option-table.js';
import { createSenderUnder } from '../src/new-plant-sender.js';
import type { NewPlantSender, NewPlantSenderOptions } from '../src/index.js';
import { afterThisTest } from './teardown.js';

/** A sender under a set of answers. It ends with the test. */
export function openSenderUnder<const Given extends Answers, Plant extends PlantOf<Given> = PlantOf<Given>>(
  given: Given,
  options: NewPlantSenderOptions<Plant, Given>,
): NewPlantSender<Plant, Given> {
  const sender = createSenderUnder<Given, Plant>(given, options);
  afterThisTest(() => sender.close());
  return sender;
}
