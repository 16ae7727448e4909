import { type Answers, CONTENT_METHODS, type ContentMethod } from '@plant-store/contract';

import { effectsOf } from '../answers/effects-of.js';

/** The methods with which a delivery may come (question `http-method`; RFC 9110 §9.3). */
export function acceptedMethods(answers: Answers): readonly ContentMethod[] {
  return effectsOf(answers).methods ?? CONTENT_METHODS;
}
