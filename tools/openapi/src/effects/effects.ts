import {
  type Answers,
  executableOf,
  isExecutable,
  type OpenQuestion,
  openQuestions,
  type QuestionId,
} from '@plant-store/contract';
import {
  isSame,
  type Kind,
  kinds,
  type Level,
  type Others,
  othersIn,
  type Step,
} from '@plant-store/contract/kinds';

/** In which order old and new senders and receivers may be replaced without losing a delivery. */
export type RolloutOrder = 'any order' | 'receivers first' | 'senders first' | 'needs a transition';

/** Something that a receiver or a sender does, because of an answer. */
export interface Effect {
  /** Stable, as `receiver.refuses-media-type`. docs/reference/effects.md lists them. */
  readonly id: string;
  /** At most that of the page. Of a difference: `info` if nothing that worked fails. */
  readonly level: Level;
  readonly side: 'receiver' | 'sender';
  /** The question whose answer says it. */
  readonly question: QuestionId;
  /** One sentence. Its text between back quotes is code. */
  readonly text: string;
}

/** What one changed answer means for those who run the software. */
export interface AnswerDifference {
  readonly question: QuestionId;
  /** What it makes receivers and senders do, then what earlier answers start or stop to do because of it. */
  readonly effects: readonly Effect[];
  readonly rollout: { readonly order: RolloutOrder; readonly reason: string };
  /** The version step of the SDK and of the contract. */
  readonly step: Step;
  /** Whether the software carries out the new answer. It can't carry out words. */
  readonly isExecutable: boolean;
}

/** Answers as JSON, by question. A schema is its JSON Schema. */
export type PlainAnswers = Readonly<Record<string, unknown>>;

/** The executable answers of a set, and what they decide for each other. */
interface Executables {
  readonly answers: PlainAnswers;
  readonly others: Others;
}

const register: readonly (OpenQuestion & { readonly id: QuestionId })[] = openQuestions;
const SIDES = ['receiver', 'sender'] as const;
/** A kind whose answers are not typed, for answers that are read from a file. */
type AnyKind = Kind<QuestionId, unknown>;
const all = Object.values(kinds) as unknown as readonly AnyKind[];

/** The effects that answers can have, each with its level: that of a first answer, which is the highest. */
export const effectRules = all.flatMap(({ question, effects }) =>
  Object.entries(effects).map(([id, [level]]) => ({ id, level, question })),
);

/** The effect of a question that is open again: a side does what the register says of it. */
export const OPEN_AGAIN = SIDES.map((side) => ({
  id: `${side}.is-open-again`,
  level: 'breaking' as const,
  side,
}));

/** What the software does because of these answers. */
export function effectsOf(answers: PlainAnswers): Effect[] {
  const set = split(answers);
  return all.flatMap((kind) => effectsIn(kind, set));
}

/**
 * The difference between two whole sets of answers: an entry for each question whose answer differs, in the order of
 * the register. The changes are made one after the other, each after those on which it is built, so that an entry says
 * what it adds. A test compares rollout orders and version steps with the built software.
 */
export function differenceOf(before: PlainAnswers, after: PlainAnswers): AnswerDifference[] {
  let old = before;
  const found = new Map<QuestionId, AnswerDifference>();
  const inOrder = new Set([...all.map(({ question }) => question), ...register.map(({ id }) => id)]);
  for (const question of inOrder) {
    if (isSame(before[question], after[question])) continue;
    const now = { ...old, [question]: after[question] };
    found.set(question, differenceOfOne(question, old, now));
    old = now;
  }
  return register.flatMap(({ id }) => found.get(id) ?? []);
}

/** The difference in words. Its text between back quotes is code. */
export function effectLines({
  effects,
  rollout,
  step,
  isExecutable,
}: Omit<AnswerDifference, 'question'>): string[] {
  const said = (side: Effect['side']): string => {
    const own = effects.filter((effect) => effect.side === side);
    const sentences = own.map(({ text, level }) => (level === 'info' ? text : `${text} (${level})`));
    return sentences.join(' ') || 'Nothing changes.';
  };
  return [
    ...(isExecutable ? [] : ['The software does not carry this out.']),
    `Receiver: ${said('receiver')}`,
    `Sender: ${said('sender')}`,
    `Roll out: ${rollout.order}. ${rollout.reason}`,
    `Version step: ${step}`,
  ];
}

/** The value with its unit, in words: `15000 ms`, `1000 bytes`. */
export function answerInWords(question: QuestionId, answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'inWords' in answer) return String(answer.inWords);
  return isExecutable(question) ? kindOf(question).inWords(answer) : String(answer);
}

function kindOf(question: QuestionId): AnyKind {
  return all.find((kind) => kind.question === question)!;
}

function split(given: PlainAnswers): Executables {
  const answers: PlainAnswers = executableOf(given as Answers);
  return { answers, others: othersIn(answers) };
}

/** @param before the set so far, of which some effects speak */
function effectsIn(kind: AnyKind, { answers, others }: Executables, before?: Executables): Effect[] {
  const { question } = kind;
  const answer = answers[question];
  if (answer === undefined) return [];
  const known = { ...others, words: kind.inWords(answer) };
  return Object.entries(kind.effects).flatMap(([id, [level, sentence]]) => {
    const text = sentence(answer, known, before?.answers[question]);
    return text === undefined ? [] : [{ id, level, side: sideOf(id), question, text }];
  });
}

function sideOf(id: string): Effect['side'] {
  return id.startsWith('receiver.') ? 'receiver' : 'sender';
}

/** What can fail between a sender of one set and a receiver of another. */
function failuresBetween(sender: Executables, receiver: Executables): string[] {
  return all.flatMap(({ question, fails }) => {
    const answers = [sender, receiver].map((set) => set.answers[question]);
    return fails?.(answers[0], answers[1], sender.others, receiver.others) ?? [];
  });
}

function differenceOfOne(question: QuestionId, before: PlainAnswers, after: PlainAnswers): AnswerDifference {
  const [old, now] = [split(before), split(after)];
  const [was, is] = [old.answers[question], now.answers[question]];
  const isExecutable = after[question] === undefined || is !== undefined;
  // Words, and questions that are answered in words alone.
  if (isSame(was, is))
    return { question, effects: [], rollout: rolloutOf([], []), step: 'patch', isExecutable };
  const kind = kindOf(question);
  const [toNew, toOld] = [failuresBetween(old, now), failuresBetween(now, old)];
  const others = all.filter((other) => other !== kind).flatMap((other) => startedOrStopped(other, old, now));
  const steps = [kind.step(was, is, old.others, now.others), ...others.map(stepOfOther)];
  const step = (['major', 'minor'] as const).find((one) => steps.includes(one)) ?? 'patch';
  const isSafe = { receiver: toNew.length === 0, sender: step !== 'major' };
  const effects = [...changedEffects(kind, old, now), ...others];
  return {
    question,
    effects: effects.map((effect) => (isSafe[effect.side] ? { ...effect, level: 'info' } : effect)),
    rollout: rolloutOf(toNew, toOld, was === undefined ? undefined : kind.transition?.(was)),
    step,
    isExecutable,
  };
}

/** What a changed answer says that it didn't say before. A side of which it no longer says anything is as while open. */
function changedEffects(kind: AnyKind, old: Executables, now: Executables): Effect[] {
  const [before, after] = [effectsIn(kind, old), effectsIn(kind, now, old)];
  const changed = after.filter(({ id, text }) => !before.some((was) => was.id === id && was.text === text));
  return [...changed, ...opened(kind.question, before, after)];
}

/** What another answer starts or stops to do. */
function startedOrStopped(kind: AnyKind, old: Executables, now: Executables): Effect[] {
  const [before, after] = [effectsIn(kind, old), effectsIn(kind, now, old)];
  const started = after.filter(({ id }) => !before.some((was) => was.id === id));
  return [...started, ...opened(kind.question, before, after)];
}

/** The sides of which an answer no longer says anything. */
function opened(question: QuestionId, before: readonly Effect[], after: readonly Effect[]): Effect[] {
  return OPEN_AGAIN.flatMap((effect) => {
    const speaks = ({ side }: Effect): boolean => side === effect.side;
    const text = register.find(({ id }) => id === question)?.whileOpen[effect.side];
    if (!before.some(speaks) || after.some(speaks) || text === undefined) return [];
    return [{ ...effect, question, text }];
  });
}

/** Receivers that refuse more are a major step, those that take more a minor one. */
function stepOfOther({ id, level, side }: Effect): Step {
  if (side === 'sender' || level === 'info') return 'patch';
  return id === 'receiver.is-open-again' ? 'minor' : 'major';
}

/**
 * @param toNew what can fail from an old sender to a new receiver
 * @param toOld what can fail from a new sender to an old receiver
 * @param transition what to do if both can
 */
function rolloutOf(
  toNew: readonly string[],
  toOld: readonly string[],
  transition?: string,
): AnswerDifference['rollout'] {
  const reasons = [
    ...(toNew.length === 0 ? [] : [`From an old sender to a new receiver: ${toNew.join('; ')}.`]),
    ...(toOld.length === 0 ? [] : [`From a new sender to an old receiver: ${toOld.join('; ')}.`]),
  ];
  if (reasons.length === 0)
    return { order: 'any order', reason: 'Old and new senders work with old and new receivers.' };
  if (toNew.length === 0) return { order: 'receivers first', reason: reasons.join(' ') };
  if (toOld.length === 0) return { order: 'senders first', reason: reasons.join(' ') };
  return { order: 'needs a transition', reason: [...reasons, ...(transition ? [transition] : [])].join(' ') };
}
