import { openQuestions, type QuestionId } from '@plant-store/contract';

import { type AnswerEffect, answerInWords, effectOf } from '../effects.js';
import type { AnswerChange, StatedAnswer, StatedAnswers } from './answer-changes.js';
import { escape, marked, shorten } from './markdown.js';

/** A change of an answer in words. */
export interface DescribedChange extends AnswerChange {
  /** `Size limits` */
  readonly title: string;
  /** With its unit: `2000 bytes (was 1000 bytes)`. */
  readonly value: string;
  /** Who stated it, when and why. */
  readonly stated: string;
  /** Undefined for a question that the register doesn't have, and for an answer that isn't one. */
  readonly effect: AnswerEffect | undefined;
  /** What is accepted beside the answer for a while, until when, who decided that and why. */
  readonly accepted: string | undefined;
}

/** What the contract accepts beside its answers, by question, as `openapi answers` prints it. */
export type PlainAccepts = Readonly<
  Record<string, { also: readonly unknown[]; until: string; decidedBy: string; reason: string }>
>;

/** A value or a reason that is longer is shortened. */
const MAX_TEXT = 600;

/** The kinds of a change, and the steps of a version, in the order in which a reader is told of them. */
const KINDS: readonly AnswerChange['kind'][] = ['new', 'changed', 'withdrawn', 'stated again'];
const STEPS: readonly AnswerEffect['step'][] = ['major', 'minor', 'patch', 'none'];

/**
 * What a change of an answer means.
 *
 * @param all the answers of the working tree
 * @param accepts what the working tree accepts beside them
 */
export function describeChange(
  change: AnswerChange,
  all: StatedAnswers,
  accepts: PlainAccepts = {},
): DescribedChange {
  const { question, kind, before, after } = change;
  const accepted = accepts[question];
  const known = openQuestions.find(({ id }) => id === question);
  const others = [...all].filter(([id]) => id !== question).map(([id, { answer }]) => [id, answer] as const);
  const { answeredBy, date, reason } = after ?? before!;
  const was = {
    new: '',
    changed: ` (was ${inWords(known?.id, before)})`,
    withdrawn: ` (was ${inWords(known?.id, before)})`,
    'stated again': ' (as before)',
  };
  return {
    ...change,
    title: known?.title ?? question,
    value: inWords(known?.id, after) + was[kind],
    stated: `${after ? 'Answered' : 'Was answered'} by ${answeredBy} on ${date}: ${reason}`,
    effect: tryTo(
      () => known && effectOf(known.id, before?.answer, after?.answer, Object.fromEntries(others)),
    ),
    accepted:
      accepted &&
      `${accepted.also.join(', ')} until ${accepted.until}, decided by ${accepted.decidedBy}: ${accepted.reason}`,
  };
}

function inWords(question: QuestionId | undefined, stated: StatedAnswer | undefined): string {
  if (stated === undefined) return 'open';
  return tryTo(() => question && answerInWords(question, stated.answer)) ?? JSON.stringify(stated.answer);
}

/** An overlay may have an answer that the gate refuses, of any type. Nothing is said of what it means. */
function tryTo<Result>(describe: () => Result | undefined): Result | undefined {
  try {
    return describe();
  } catch {
    return undefined;
  }
}

/** The changes in Markdown: first the counts, then a part for each change, the larger version steps first. */
export function answerParts(changes: readonly DescribedChange[]): string[] {
  if (changes.length === 0) return [];
  const counts = KINDS.flatMap((kind) => {
    const { length } = changes.filter((change) => change.kind === kind);
    return length === 0 ? [] : [`${length} ${kind}`];
  });
  const sorted = STEPS.flatMap((step) => changes.filter(({ effect }) => (effect?.step ?? 'none') === step));
  const [{ effect } = sorted[0]!] = sorted;
  const head = `**${counts.join(', ')}. Version step: ${effect?.step ?? 'none'}.**`;
  return [head, ...conflictingOrders(changes), ...sorted.map(answerPart)];
}

function answerPart({ question, title, kind, value, stated, effect, accepted }: DescribedChange): string {
  const items = [
    `Answer to \`${question}\`: ${marked(shorten(value, MAX_TEXT))}`,
    marked(shorten(stated, MAX_TEXT)),
    ...(effect ? effectItems(effect) : []),
    ...(accepted ? [`Accepted too: ${marked(shorten(accepted, MAX_TEXT))}`] : []),
  ];
  return `### ${escape(title)}: ${kind}\n\n${items.map((item) => `- ${item}`).join('\n')}`;
}

function effectItems({ receiver, sender, rollout, step }: AnswerEffect): string[] {
  const nothing = 'Nothing changes.';
  return [
    `Receiver: ${marked(receiver ?? nothing)}`,
    `Sender: ${marked(sender ?? nothing)}`,
    `Roll out: **${rollout.order}**. ${marked(rollout.reason)}`,
    `Version step: ${step}`,
  ];
}

/** Answers that ask for opposite orders can't be rolled out together. */
function conflictingOrders(changes: readonly DescribedChange[]): string[] {
  const orders = changes.map(({ effect }) => effect?.rollout.order);
  if (!orders.includes('receivers first') || !orders.includes('senders first')) return [];
  return [
    'Some of these answers need receivers first, others senders first: roll them out one after the other.',
  ];
}
