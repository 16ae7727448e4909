import {
  type Answers,
  carriedOut,
  isExecutable,
  type OpenQuestion,
  openQuestions,
  type QuestionId,
} from '@plant-store/contract';
import type { EffectRow, Others, Step } from './effect-row.js';
import { effectRows } from './rows.js';

/** In which order old and new senders and receivers may be replaced without losing a delivery. */
export type RolloutOrder = 'any order' | 'receivers first' | 'senders first' | 'needs a transition';

/** What a change of one answer means for those who run the software. */
export interface AnswerEffect {
  /** What a receiver does from now on; `undefined` if nothing changes there. */
  readonly receiver: string | undefined;
  /** What a sender does from now on; `undefined` if nothing changes there. */
  readonly sender: string | undefined;
  readonly rollout: { readonly order: RolloutOrder; readonly reason: string };
  /** The version step of the SDK and of the contract. */
  readonly step: Step;
  /** Whether the software follows the new answer. It can't follow words. */
  readonly isCarriedOut: boolean;
}

/** Answers as JSON, by question. A schema is its JSON Schema. */
export type PlainAnswers = Others;

/**
 * Says what changes when a question is answered, its answer changes, or it is open again. A test compares the rollout
 * order and the version step with the built software.
 *
 * @param before the plain answer so far; `undefined` while the question is open
 * @param after the plain answer from now on; `undefined` if the question is open again
 * @param others all plain answers; that to the question itself says nothing here
 */
export function effectOf(
  question: QuestionId,
  before: unknown,
  after: unknown,
  others: PlainAnswers = {},
): AnswerEffect {
  const [old, now] = [before, after].map((answer) => followed({ [question]: answer })[question]);
  const isCarriedOut = after === undefined || now !== undefined;
  const step = JSON.stringify(before) === JSON.stringify(after) ? 'none' : 'patch';
  if (JSON.stringify(old) === JSON.stringify(now))
    return { receiver: undefined, sender: undefined, rollout: rolloutOf(), step, isCarriedOut };
  return { ...effectOfFollowed(question, old, now, followed(others)), isCarriedOut };
}

/** The effect of answers that the software follows, or that are open. */
function effectOfFollowed(
  question: QuestionId,
  before: unknown,
  after: unknown,
  others: PlainAnswers,
): Omit<AnswerEffect, 'isCarriedOut'> {
  const row = rowOf(question)!;
  const change = row.change?.(before, after, others) ?? {};
  const sentenceOf = (side: 'receiver' | 'sender'): string | undefined => {
    const sentence = (answer: unknown) => (answer === undefined ? undefined : row[side]?.(answer, others));
    const [old, now] = [sentence(before), sentence(after)];
    const register: readonly OpenQuestion[] = openQuestions;
    const whileOpen = register.find(({ id }) => id === question)?.whileOpen[side];
    const sentences = [old === now ? undefined : (now ?? whileOpen), change[side]];
    return sentences.filter((one) => one !== undefined).join(' ') || undefined;
  };
  return {
    receiver: sentenceOf('receiver'),
    sender: sentenceOf('sender'),
    rollout: rolloutOf(
      row.fails?.(before, after, others),
      row.fails?.(after, before, others),
      before === undefined ? undefined : row.accepts?.(before),
      change.rollout,
    ),
    step: row.step(before, after, others),
  };
}

/** How much an effect asks of those who run the software. */
export type Level = 'breaking' | 'warning' | 'info';

/** Something that a receiver or a sender does, because of an answer. */
export interface Effect {
  /** Stable, as `receiver.refuses-media-type`. */
  readonly id: string;
  readonly level: Level;
  readonly side: 'receiver' | 'sender';
  /** The question whose answer says it. */
  readonly question: QuestionId;
  /** One sentence. Its text between back quotes is code. */
  readonly text: string;
}

/** What one changed answer brings about, with what earlier answers start or stop to do because of it. */
export interface AnswerDifference {
  readonly question: QuestionId;
  readonly effects: readonly Effect[];
  readonly rollout: AnswerEffect['rollout'];
  readonly step: Step;
  readonly isCarriedOut: boolean;
}

/** What the software does because of these answers. */
export function effectsOf(answers: PlainAnswers): Effect[] {
  const all = followed(answers);
  return openQuestions.flatMap(({ id }) =>
    SIDES.flatMap((side) => {
      const text = sentenceOf(id, side, all);
      return text === undefined ? [] : [effect(id, side, text)];
    }),
  );
}

/**
 * The difference between two whole sets of answers: an entry for each question whose answer differs, in the order of
 * the register. The changes are made one after the other, so that each entry says what it adds to those before it.
 */
export function differenceOf(before: PlainAnswers, after: PlainAnswers): AnswerDifference[] {
  let so = before;
  return openQuestions.flatMap(({ id }) => {
    if (JSON.stringify(before[id]) === JSON.stringify(after[id])) return [];
    const next = { ...so, [id]: after[id] };
    const difference = differenceOfOne(id, so, next);
    so = next;
    return [difference];
  });
}

const SIDES = ['receiver', 'sender'] as const;
const STEPS: readonly Step[] = ['major', 'minor', 'patch', 'none'];

function effect(question: QuestionId, side: Effect['side'], text: string): Effect {
  return { id: `${side}.${question}`, level: 'info', side, question, text };
}

function sentenceOf(id: QuestionId, side: Effect['side'], answers: PlainAnswers): string | undefined {
  return answers[id] === undefined ? undefined : rowOf(id)?.[side]?.(answers[id], answers);
}

function differenceOfOne(question: QuestionId, before: PlainAnswers, after: PlainAnswers): AnswerDifference {
  const own = effectOf(question, before[question], after[question], after);
  const [old, now] = [followed(before), followed(after)];
  const toNew: string[] = [];
  const toOld: string[] = [];
  const steps = [own.step];
  const effects = SIDES.flatMap((side) =>
    own[side] === undefined ? [] : [effect(question, side, own[side])],
  );
  for (const { id, whileOpen } of openQuestions as readonly (OpenQuestion & { id: QuestionId })[]) {
    if (id === question) continue;
    const row = rowOf(id);
    for (const side of SIDES) {
      const [was, is] = [sentenceOf(id, side, old), sentenceOf(id, side, now)];
      if (was === is) continue;
      effects.push(effect(id, side, is ?? whileOpen[side] ?? 'Nothing.'));
      if (side !== 'receiver' || (was !== undefined && is !== undefined)) continue;
      const failed = was === undefined ? toNew : toOld;
      const failure = row?.fails?.(
        undefined,
        (was === undefined ? now : old)[id],
        was === undefined ? now : old,
      );
      if (failure !== undefined) failed.push(failure);
      steps.push(
        row!.step(
          was === undefined ? undefined : old[id],
          was === undefined ? now[id] : undefined,
          was === undefined ? now : old,
        ),
      );
    }
  }
  const step = STEPS.find((one) => steps.includes(one))!;
  return {
    question,
    effects,
    rollout: withMore(own.rollout, toNew, toOld),
    step,
    isCarriedOut: own.isCarriedOut,
  };
}

/** The rollout of a change, with what else can fail. */
function withMore(own: AnswerEffect['rollout'], toNew: string[], toOld: string[]): AnswerEffect['rollout'] {
  if (toNew.length === 0 && toOld.length === 0) return own;
  const more = rolloutOf(toNew.join('; ') || undefined, toOld.join('; ') || undefined);
  if (own.order === 'any order') return more;
  const order = own.order === more.order ? own.order : 'needs a transition';
  return { order, reason: `${own.reason} ${more.reason}` };
}

/** An effect in words. Its text between back quotes is code. */
export function effectLines(effect: AnswerEffect | AnswerDifference): string[] {
  const { rollout, step, isCarriedOut } = effect;
  const said = (side: Effect['side']): string | undefined =>
    'effects' in effect
      ? effect.effects.flatMap((one) => (one.side === side ? one.text : [])).join(' ') || undefined
      : effect[side];
  return [
    ...(isCarriedOut ? [] : ['The software does not follow this yet.']),
    `Receiver: ${said('receiver') ?? 'Nothing changes.'}`,
    `Sender: ${said('sender') ?? 'Nothing changes.'}`,
    `Roll out: ${rollout.order}. ${rollout.reason}`,
    `Version step: ${step}`,
  ];
}

/** The value with its unit, in words: `15000 ms`, `1000 bytes`. */
export function answerInWords(question: QuestionId, answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'inWords' in answer) return String(answer.inWords);
  return rowOf(question)?.inWords(answer) ?? String(answer);
}

/** The answers that the software follows. It goes on as while a question is open that is answered in words. */
function followed(answers: PlainAnswers): PlainAnswers {
  return carriedOut(answers as Answers);
}

/** A row whose answers are not typed, for callers that read them from a file. */
function rowOf(question: QuestionId): EffectRow<unknown> | undefined {
  return isExecutable(question) ? (effectRows[question] as unknown as EffectRow<unknown>) : undefined;
}

/**
 * @param toNew what can fail from an old sender to a new receiver
 * @param toOld what can fail from a new sender to an old receiver
 * @param accepts how a transition is avoided
 * @param whenNone the reason if nothing can fail
 */
function rolloutOf(
  toNew?: string,
  toOld?: string,
  accepts?: string,
  whenNone = 'Old and new senders work with old and new receivers.',
): AnswerEffect['rollout'] {
  const reasons = [
    ...(toNew === undefined ? [] : [`From an old sender to a new receiver: ${toNew}.`]),
    ...(toOld === undefined ? [] : [`From a new sender to an old receiver: ${toOld}.`]),
  ];
  if (reasons.length === 0) return { order: 'any order', reason: whenNone };
  const order =
    toNew === undefined ? 'receivers first' : toOld === undefined ? 'senders first' : 'needs a transition';
  if (order === 'needs a transition' && accepts !== undefined) reasons.push(accepts);
  return { order, reason: reasons.join(' ') };
}
