import { type OpenQuestion, openQuestions, type QuestionId } from '@plant-store/contract';

import { type AnyEffectRow, effectRows, type Step } from './effects/effect-rows.js';

/** In which order old and new senders and receivers may be replaced without losing a delivery. */
export type RolloutOrder = 'any order' | 'receivers first' | 'senders first' | 'needs a transition';

/** What a change of one answer means for those who run the software. */
export interface AnswerEffect {
  /** What a receiver does from now on, in one sentence; `undefined` if nothing changes there. */
  readonly receiver: string | undefined;
  /** What a sender does from now on, in one sentence; `undefined` if nothing changes there. */
  readonly sender: string | undefined;
  readonly rollout: { readonly order: RolloutOrder; readonly reason: string };
  /** The version step of the SDK and of the contract. */
  readonly step: Step;
}

/** Answers as JSON, by question. A schema is its JSON Schema. */
export type PlainAnswers = Readonly<Record<string, unknown>>;

/**
 * Says what changes when a question is answered, its answer changes, or it is open again. A test compares the rollout
 * order and the version step with the built software.
 *
 * @param before the plain answer so far; `undefined` while the question is open
 * @param after the plain answer from now on; `undefined` if the question is open again
 * @param others all other plain answers
 */
export function effectOf(
  question: QuestionId,
  before: unknown,
  after: unknown,
  others: PlainAnswers = {},
): AnswerEffect {
  const row = rowOf(question);
  const changed = JSON.stringify(before) !== JSON.stringify(after);
  return {
    receiver: changed ? sentenceOf('receiver') : undefined,
    sender: changed ? sentenceOf('sender') : undefined,
    rollout: rolloutOf(
      row?.fails?.(before, after, others),
      row?.fails?.(after, before, others),
      before === undefined ? undefined : row?.accepts?.(before),
    ),
    step: changed ? (row?.step(before, after, others) ?? 'patch') : 'none',
  };

  function sentenceOf(side: 'receiver' | 'sender'): string | undefined {
    const sentence = (answer: unknown): string | undefined =>
      answer === undefined ? undefined : row?.[side]?.(answer, others);
    const [old, now] = [sentence(before), sentence(after)];
    if (old === now) return undefined;
    const register: readonly OpenQuestion[] = openQuestions;
    return now ?? register.find(({ id }) => id === question)?.whileOpen[side];
  }
}

/** The value with its unit, in words: `15000 ms`, `1000 bytes`. */
export function answerInWords(question: QuestionId, answer: unknown): string {
  return rowOf(question)?.inWords(answer) ?? String(answer);
}

function rowOf(question: QuestionId): AnyEffectRow | undefined {
  return Object.hasOwn(effectRows, question)
    ? (effectRows[question as keyof typeof effectRows] as unknown as AnyEffectRow)
    : undefined;
}

/**
 * @param toNew what can fail from an old sender to a new receiver
 * @param toOld what can fail from a new sender to an old receiver
 * @param accepts how a transition is avoided
 */
function rolloutOf(
  toNew: string | undefined,
  toOld: string | undefined,
  accepts: string | undefined,
): AnswerEffect['rollout'] {
  const reasons = [
    ...(toNew === undefined ? [] : [`From an old sender to a new receiver: ${toNew}.`]),
    ...(toOld === undefined ? [] : [`From a new sender to an old receiver: ${toOld}.`]),
  ];
  if (reasons.length === 0) {
    return { order: 'any order', reason: 'Old and new senders work with old and new receivers.' };
  }
  const order =
    toNew === undefined ? 'receivers first' : toOld === undefined ? 'senders first' : 'needs a transition';
  if (order === 'needs a transition' && accepts !== undefined) reasons.push(accepts);
  return { order, reason: reasons.join(' ') };
}
