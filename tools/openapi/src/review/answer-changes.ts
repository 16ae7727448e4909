import { openQuestions, type QuestionId } from '@plant-store/contract';
import { type AnswerEffect, answerInWords, effectLines, effectOf } from '../effects/effects.js';
import { answersIn } from '../gate/gate.js';
import type { Action } from '../gate/overlay.js';
import { plain, textOf } from '../gate/read.js';
import { escape, marked } from '../markdown.js';

/** A question whose answer differs from that of the base, in words. */
export interface AnswerChange {
  readonly question: string;
  readonly kind: 'new' | 'changed' | 'withdrawn' | 'signed again';
  /** `Size limits` */
  readonly title: string;
  /** What is to be said of it. Its text between back quotes is code. */
  readonly sentences: readonly string[];
  /** Undefined for a question that the register doesn't have, and for an answer that isn't one. */
  readonly effect: AnswerEffect | undefined;
  /** The action that has the answer now. */
  readonly action: Action | undefined;
}

/** What the contract accepts beside its answers, by question. */
export type PlainAccepts = Readonly<
  Record<string, { also: readonly unknown[]; until: string; decidedBy: string; reason: string }>
>;

/** A value or a reason that is longer is shortened. */
const MAX_TEXT = 600;

/** The order in which a reader is told of the kinds of changes, and of the steps of a version. */
const KINDS: readonly AnswerChange['kind'][] = ['new', 'changed', 'withdrawn', 'signed again'];
const STEPS: readonly AnswerEffect['step'][] = ['major', 'minor', 'patch', 'none'];

/**
 * The answers that are new, changed or withdrawn, in the order of the register.
 *
 * @param before the actions of the base's overlay
 * @param after those of the working tree
 */
export function answerChanges(
  before: readonly Action[],
  after: readonly Action[],
  accepts: PlainAccepts = {},
): AnswerChange[] {
  const [old, now] = [before, after].map(
    (actions) =>
      new Map(actions.flatMap((action) => (action.answer === undefined ? [] : [[action.question, action]]))),
  ) as [Map<string, Action>, Map<string, Action>];
  const known: readonly string[] = openQuestions.map(({ id }) => id);
  const questions = new Set([...old.keys(), ...now.keys()]);
  const ordered = [
    ...known.filter((id) => questions.has(id)),
    ...[...questions].filter((id) => !known.includes(id)),
  ];
  return ordered.flatMap((question) => {
    const sides = [old.get(question), now.get(question)] as const;
    const [one, other] = sides.map((action) => action && [textOf(action.answer!), signature(action)].join());
    return one === other ? [] : [describe(question, ...sides, answersIn(after), accepts[question])];
  });
}

function describe(
  question: string,
  before: Action | undefined,
  after: Action | undefined,
  all: Readonly<Record<string, unknown>>,
  accepted: PlainAccepts[string] | undefined,
): AnswerChange {
  const kind = kindOf(before, after);
  const known = openQuestions.find(({ id }) => id === question);
  const [old, now] = [before, after].map((action) => action?.answer && plain(action.answer));
  const effect = tryTo(() => known && effectOf(known.id, old, now, all));
  const was = kind === 'changed' || kind === 'withdrawn' ? ` (was ${inWords(known?.id, old)})` : '';
  const signed =
    after === undefined ? `Was answered by ${signature(before!)}` : `Answered by ${signature(after)}`;
  return {
    ...{ question, kind, effect, action: after },
    title: known?.title ?? question,
    sentences: [
      `Answer to \`${question}\`: ${shorten(inWords(known?.id, now) + was)}`,
      shorten(signed),
      ...(effect === undefined ? ['Effect: unknown, because the answer is not valid.'] : effectLines(effect)),
      ...(accepted === undefined
        ? []
        : [
            shorten(
              `Accepted too: ${accepted.also.join(', ')} until ${accepted.until}, decided by ${accepted.decidedBy}: ${accepted.reason}`,
            ),
          ]),
    ],
  };
}

function kindOf(before: Action | undefined, after: Action | undefined): AnswerChange['kind'] {
  if (before === undefined) return 'new';
  if (after === undefined) return 'withdrawn';
  return textOf(before.answer!) === textOf(after.answer!) ? 'signed again' : 'changed';
}

function signature({ answeredBy, date, reason }: Action): string {
  return `${answeredBy} on ${date}: ${reason}`;
}

function inWords(question: QuestionId | undefined, answer: unknown): string {
  if (answer === undefined) return 'open';
  return tryTo(() => question && answerInWords(question, answer)) ?? JSON.stringify(answer);
}

/** An overlay may have an answer that the gate refuses, of any type. Nothing is said of what it means. */
function tryTo<Result>(describe: () => Result | undefined): Result | undefined {
  try {
    return describe();
  } catch {
    return undefined;
  }
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}

/** The changes in Markdown: first the counts, then a part for each change, the larger version steps first. */
export function renderAnswerChanges(changes: readonly AnswerChange[]): string {
  const counts = KINDS.flatMap((kind) => {
    const { length } = changes.filter((change) => change.kind === kind);
    return length === 0 ? [] : [`${length} ${kind}`];
  });
  const sorted = STEPS.flatMap((step) => changes.filter(({ effect }) => (effect?.step ?? 'none') === step));
  const orders = changes.map(({ effect }) => effect?.rollout.order);
  const areOpposite = orders.includes('receivers first') && orders.includes('senders first');
  return [
    `**${counts.join(', ')}. Version step: ${sorted[0]?.effect?.step ?? 'unknown'}.**`,
    ...(areOpposite
      ? [
          'Some of these answers need receivers first, others senders first: roll them out one after the other.',
        ]
      : []),
    ...sorted.map(
      ({ title, kind, sentences }) =>
        `### ${escape(title)}: ${kind}\n\n${sentences.map((sentence) => `- ${marked(sentence)}`).join('\n')}`,
    ),
  ].join('\n\n');
}
