import { CONTENT_METHODS, type ContentMethod } from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { Fault } from './fault.js';
import { missing } from './missing.js';

/** Reads `method`, or takes the answer to the question http-method. */
export function readMethod(answered: AnsweredSettings, option: unknown): ContentMethod {
  const method = option ?? answered.method;
  if (method === undefined) throw missing('method', 'http-method');
  const known = CONTENT_METHODS.find((candidate) => candidate === method);
  if (known === undefined) {
    throw new Fault('method', `must be one of ${CONTENT_METHODS.join(', ')}, in capitals.`, 'http-method');
  }
  return known;
}
