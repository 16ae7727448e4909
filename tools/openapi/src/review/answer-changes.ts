import { openQuestions, type QuestionId } from '@plant-store/contract';
import { type AnswerDifference, answerInWords, differenceOf, effectLines } from '../effects/effects.js';
import { answersIn } from '../gate/gate.js';
import type { Action } from '../gate/overlay.js';
import { plain, textOf } from '../gate/read.js';
import { escape, marked } from '../markdown.js';
import type { Accepted } from '../pages/contract-diff.js';

/** A question whose answer differs from that of the base, in words. */
export interface AnswerChange {
  readonly kind: 'new' | 'changed' | 'withdrawn' | 'signed again';
  /** `Size limits` */
  readonly title: string;
  /** What is to be said of it. Its text between back quotes is code. */
  readonly sentences: readonly string[];
  /** Undefined if nothing differs, or if an answer isn't valid. */
  readonly effect: AnswerDifference | undefined;
  /** Undefined if an answer isn't valid. */
  readonly step: AnswerDifference['step'] | 'none' | undefined;
  /** The action that has the answer now. */
  readonly action: Action | undefined;
}

/** The order in which a reader is told of the kinds of changes, and of the steps of a version. */
const KINDS: readonly AnswerChange['kind'][] = ['new', 'changed', 'withdrawn', 'signed again'];
const STEPS = ['major', 'minor', 'patch', 'none'] as const;

/**
 * The answers that are new, changed or withdrawn, in the order of the register.
 *
 * @param before the actions of the base's overlay
 * @param after those of the working tree
 */
export function answerChanges(
  before: readonly Action[],
  after: readonly Action[],
  stillAccepted: Accepted = {},
): AnswerChange[] {
  // An overlay may have answers that the gate refuses, of any type. Nothing is said of what they mean.
  const differences = tryTo(() => differenceOf(answersIn(before), answersIn(after)));
  return openQuestions.flatMap(({ id, title }) => {
    const [old, now] = [before, after].map((actions) =>
      actions.find(({ question, answer }) => question === id && answer !== undefined),
    );
    const kind = kindOf(old, now);
    if (kind === undefined) return [];
    const [was, is] = [old, now].map((action) => action?.answer && plain(action.answer));
    const effect = differences?.find(({ question }) => question === id);
    const isOther = kind === 'changed' || kind === 'withdrawn';
    const sentences = [
      `Answer to \`${id}\`: ${inWords(id, is)}${isOther ? ` (was ${inWords(id, was)})` : ''}`,
      now === undefined ? `Was answered by ${signature(old!)}` : `Answered by ${signature(now)}`,
      ...(differences === undefined ? ['Effect: unknown, because an answer is not valid.'] : []),
      ...(effect === undefined ? [] : effectLines(effect)),
      ...acceptedToo(stillAccepted[id]),
    ];
    const step = effect?.step ?? (differences && 'none');
    return [{ kind, title, sentences, effect, step, action: now }];
  });
}

function acceptedToo(accepted: Accepted[string] | undefined): string[] {
  if (accepted === undefined) return [];
  const { also, until, decidedBy, reason } = accepted;
  return [`Accepted too: ${also.join(', ')} until ${until}, decided by ${decidedBy}: ${reason}`];
}

/** Nothing if the answer and who gave it are the same. */
function kindOf(before: Action | undefined, after: Action | undefined): AnswerChange['kind'] | undefined {
  if (before === undefined) return after && 'new';
  if (after === undefined) return 'withdrawn';
  if (textOf(before.answer!) !== textOf(after.answer!)) return 'changed';
  return signature(before) === signature(after) ? undefined : 'signed again';
}

function signature({ answeredBy, date, reason }: Action): string {
  return `${answeredBy} on ${date}: ${reason}`;
}

function inWords(question: QuestionId, answer: unknown): string {
  if (answer === undefined) return 'open';
  return tryTo(() => answerInWords(question, answer)) ?? JSON.stringify(answer);
}

function tryTo<Result>(describe: () => Result): Result | undefined {
  try {
    return describe();
  } catch {
    return undefined;
  }
}

/** The changes in Markdown: first the counts, then a part for each change, the larger version steps first. */
export function renderAnswerChanges(changes: readonly AnswerChange[]): string {
  const counts = KINDS.flatMap((kind) => {
    const { length } = changes.filter((change) => change.kind === kind);
    return length === 0 ? [] : [`${length} ${kind}`];
  });
  const sorted = STEPS.flatMap((step) => changes.filter((change) => (change.step ?? 'none') === step));
  const orders = changes.map(({ effect }) => effect?.rollout.order);
  const areOpposite = orders.includes('receivers first') && orders.includes('senders first');
  return [
    `**${counts.join(', ')}. Version step: ${sorted[0]?.step ?? 'unknown'}.**`,
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
