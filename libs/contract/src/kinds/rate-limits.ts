import * as v from 'valibot';
import { MAX_DELIVERIES } from '../limits.js';
import { type AnswerOf, kind } from './kind.js';
import { wholeNumber } from './parts.js';

/** How many deliveries a sender may make with one access token in any span of this length. */
const schema = v.strictObject({
  deliveries: wholeNumber(1, MAX_DELIVERIES),
  /** The length of the span. */
  seconds: v.pipe(
    v.number(),
    v.check((span) => span > 0 && Number.isFinite(span), 'a number above 0'),
  ),
});

type Limit = AnswerOf<typeof schema> | undefined;

/** Whether whoever keeps the one limit keeps the other too. */
function isWithin(one: Limit, other: Limit): boolean {
  if (other === undefined) return true;
  if (one === undefined) return false;
  return one.deliveries * Math.ceil(other.seconds / one.seconds) <= other.deliveries;
}

export const rateLimits = kind('rate-limits', schema, {
  inWords: ({ deliveries, seconds }) => `${deliveries} deliveries in ${seconds} s`,
  example: { deliveries: 20, seconds: 60 },
  more: { higher: { deliveries: 30, seconds: 60 }, lower: { deliveries: 10, seconds: 60 } },
  effects: {
    'receiver.refuses-rate': [
      'breaking',
      (_limit, { statusOf, words }) =>
        `Takes ${words} with one access token; more get ${statusOf('rate-exceeded')}.`,
    ],
    'sender.keeps-rate': ['warning', (_limit, { words }) => `Sends at most ${words}; others wait.`],
  },
  fails: (from, to, _sender, { statusOf }) => {
    if (to === undefined || isWithin(from, to)) return undefined;
    return `more than ${to.deliveries} deliveries in ${to.seconds} s get ${statusOf('rate-exceeded')}`;
  },
  step: (before, after) => (isWithin(before, after) ? 'minor' : 'major'),
  shows: { receiver: { 'after 20 others': 'refused with 429' }, sender: { '21 at once': '20 arrive' } },
});
