import { answerFaults, type Answers, type ExecutableId } from '@plant-store/contract';

import { ReceiverError } from '../errors.js';
import type { AnswerableGuard, ContentStep, HeadCheck, ReceiverEffect } from './receiver-effect.js';
import { receiverEffects } from './receiver-effects.js';

/** A guard whose value is an answer. */
interface AnsweredGuard {
  readonly setting: AnswerableGuard;
  readonly value: number;
  readonly question: ExecutableId;
}

/** What all the answers together change of the receiver. */
export interface ReceiverEffects extends Omit<ReceiverEffect, 'guards' | 'checkHead' | 'inspect'> {
  readonly guards: readonly AnsweredGuard[];
  readonly headChecks: readonly HeadCheck[];
  readonly contentSteps: readonly ContentStep[];
}

/**
 * What the answers change of the receiver; a question that is open changes nothing.
 *
 * @throws ReceiverError `ANSWERS_INVALID`, with everything that cannot be carried out
 */
export function effectsOf(answers: Answers): ReceiverEffects {
  const faults = answerFaults(answers);
  if (faults.length > 0) {
    throw new ReceiverError(
      'ANSWERS_INVALID',
      ['These answers cannot be carried out:', ...faults.map((fault) => `  ${fault}`)].join('\n'),
    );
  }
  const ids = Object.keys(receiverEffects) as ExecutableId[];
  const answered = ids.filter((id) => answers[id] !== undefined);
  const effects = answered.map((id) => effectOf(id, answers));
  return {
    ...(Object.assign({}, ...effects) as ReceiverEffect),
    guards: effects.flatMap(({ guards }, index) => guardsOf(guards, answered[index] as ExecutableId)),
    headChecks: effects.flatMap(({ checkHead }) => checkHead ?? []),
    contentSteps: effects.flatMap(({ inspect }) => inspect ?? []),
  };
}

function effectOf(id: ExecutableId, answers: Answers): ReceiverEffect {
  const row = receiverEffects[id];
  return typeof row === 'function' ? row(answers[id] as never, answers) : {};
}

function guardsOf(guards: ReceiverEffect['guards'] = {}, question: ExecutableId): AnsweredGuard[] {
  return Object.entries(guards).map(([setting, value]) => ({
    setting: setting as AnswerableGuard,
    value,
    question,
  }));
}
