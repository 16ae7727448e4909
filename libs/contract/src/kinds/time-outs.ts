import * as v from 'valibot';
import { type AnswerOf, kind } from './kind.js';
import { milliseconds } from './parts.js';

/** How long a delivery may take, in milliseconds. */
const schema = v.strictObject({
  /** Until a receiver has the whole request. */
  delivery: milliseconds(1),
  /** Until a sender has the whole response. */
  response: milliseconds(1),
});

/** The defaults of `REQUEST_TIMEOUT_MS` of the receiver and of `attemptTimeout` of the sender. */
export const TIMES_WHILE_OPEN: AnswerOf<typeof schema> = { delivery: 30_000, response: 15_000 };

export const timeOuts = kind('time-outs', schema, {
  inWords: ({ delivery, response }) => `${delivery} ms for a request, ${response} ms for its response`,
  example: { delivery: 2_000, response: 4_000 },
  more: {
    'long-response': { delivery: 2_000, response: 15_000 },
    long: { delivery: 30_000, response: 15_000 },
  },
  effects: {
    'receiver.refuses-slow-request': [
      'breaking',
      ({ delivery }) => `Waits ${delivery} ms for a whole request; a slower one gets 408.`,
    ],
    'sender.stops-waiting': [
      'breaking',
      ({ response }) =>
        `Waits ${response} ms for a whole response unless the caller passes \`attemptTimeout\`.`,
    ],
  },
  fails: (from = TIMES_WHILE_OPEN, to = TIMES_WHILE_OPEN) => {
    const slow = `a request that takes more than ${to.delivery} ms gets 408`;
    const late = `a response that takes more than ${from.response} ms comes too late`;
    if (to.response <= from.response) return from.delivery > to.delivery ? slow : undefined;
    return from.delivery > to.delivery ? `${slow}, and ${late}` : late;
  },
  step: (before = TIMES_WHILE_OPEN, after = TIMES_WHILE_OPEN) => {
    if (after.response < before.response) return 'major';
    return after.response > before.response ? 'minor' : 'patch';
  },
  shows: {
    receiver: { 'started with other settings': 'refuses REQUEST_TIMEOUT_MS' },
    sender: { 'time-out of an attempt': '4000 ms' },
  },
});
