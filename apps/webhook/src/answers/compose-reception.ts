import { type Answers, CONTENT_METHODS, facts } from '@plant-store/contract';

import { makeChallenges } from '../authentication/challenges.js';
import { checkContentAnnounced } from '../checks/check-content-announced.js';
import { checkContentEncoding } from '../checks/check-media-type.js';
import { checkMethod } from '../checks/check-method.js';
import { parseJson } from '../checks/parse-json.js';
import { readSigningKey } from '../checks/signing-key.js';
import { within } from '../checks/within.js';
import type { Config } from '../config.js';
import { prepareAnswer } from '../http/prepared-answer.js';
import { prepareRefusals } from '../http/prepare-refusals.js';
import type { Reception } from '../new-plant/reception.js';
import { effectsOf, type ReceiverEffects } from './effects-of.js';
import type { ContentStep, HeadCheck, Signing } from './receiver-effect.js';

/** The settings that a reception takes. */
type ReceptionSettings = Pick<
  Config,
  'MAX_CONTENT_BYTES' | 'MAX_CONTENT_BYTES_IN_FLIGHT' | 'REQUEST_TIMEOUT_MS' | 'SIGNING_KEYS'
>;

/**
 * Puts together how deliveries are received. Of a question that is open nothing is left to be asked per delivery.
 *
 * @param settings as they were parsed under the same answers
 * @throws ReceiverError `ANSWERS_INVALID`
 */
export function composeReception(answers: Answers, settings: ReceptionSettings): Reception {
  const effects = effectsOf(answers);
  const steps = contentSteps(effects, settings);
  return Object.freeze({
    path: effects.path ?? facts.DELIVERY_PATH,
    challenges: makeChallenges(effects.realm),
    admit: inTurn([
      checkMethod(effects.methods ?? CONTENT_METHODS),
      checkContentAnnounced,
      ...effects.headChecks,
      ...(effects.readsJson === undefined ? [] : [checkContentEncoding]),
    ]),
    maxContentBytes: settings.MAX_CONTENT_BYTES,
    maxContentBytesInFlight: settings.MAX_CONTENT_BYTES_IN_FLIGHT,
    inspect: steps.length === 0 ? undefined : awaitedInTurn(steps, settings.REQUEST_TIMEOUT_MS),
    acknowledgement: effects.acknowledgement ?? prepareAnswer(204),
    refusals: effects.refusals ?? prepareRefusals({}),
  });
}

/** A signature is over bytes, and is looked at before anything is read into them. */
function contentSteps(
  { signing, readsJson, contentSteps }: ReceiverEffects,
  { SIGNING_KEYS = [] }: ReceptionSettings,
): ContentStep[] {
  const keysOf = ({ key }: Signing): Buffer[] =>
    SIGNING_KEYS.flatMap((text) => readSigningKey(key, text) ?? []);
  return [
    ...(signing === undefined ? [] : [signing.checkWith(keysOf(signing))]),
    ...(readsJson === undefined ? [] : [parseJson]),
    ...contentSteps,
  ];
}

/** One check of several, without a list that would have to be gone through for each request. */
function inTurn(checks: readonly HeadCheck[]): HeadCheck {
  return checks.reduce((first, second) => (request, token) => {
    first(request, token);
    second(request, token);
  });
}

/** @param limit of a step that is not done at once, in milliseconds */
function awaitedInTurn(steps: readonly ContentStep[], limit: number): NonNullable<Reception['inspect']> {
  return async (inspection) => {
    for (const step of steps) {
      const running = step(inspection);
      if (running !== undefined) await within(limit, running);
    }
  };
}
