import { type Answers, CONTENT_METHODS, type ContentMethod } from '@plant-store/contract';

/** The methods with which a delivery may come (question `http-method`; RFC 9110 §9.3). */
export function acceptedMethods(answers: Answers): readonly ContentMethod[] {
  const answered = answers['http-method'];
  return answered === undefined ? CONTENT_METHODS : [answered];
}
