import { type Answers, facts } from '@plant-store/contract';

import { effectsOf } from '../answers/effects-of.js';

/** The path to which deliveries come: the one of §4, unless an answer puts something before it. */
export function deliveryPath(answers: Answers): string {
  return effectsOf(answers).path ?? facts.DELIVERY_PATH;
}
