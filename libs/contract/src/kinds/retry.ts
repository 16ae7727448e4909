import * as v from 'valibot';
import { kind, listOf } from './kind.js';
import { milliseconds, wholeNumber } from './parts.js';

/** When a delivery that was not acknowledged is sent again. */
const schema = v.strictObject({
  /** The wait before each further attempt, in milliseconds. Its length is the number of further attempts. */
  delays: v.array(milliseconds(0)),
  /** The statuses that lead to another attempt. `all`: every status that is not an acknowledgement. */
  statuses: v.union([v.array(wholeNumber(100, 599)), v.literal('all')], '"all" or a list of statuses'),
  /** Whether there is another attempt without a response: no connection, a lost one, or a time-out of the attempt. */
  withoutResponse: v.boolean(),
});

export const retry = kind('retry', schema, {
  inWords: ({ delays, statuses, withoutResponse }) => {
    const causes = [
      ...(statuses === 'all' ? ['any status that is not an acknowledgement'] : statuses),
      ...(withoutResponse ? ['no response'] : []),
    ];
    if (delays.length === 0 || causes.length === 0) return 'never again';
    return `again after ${listOf(delays.map((delay) => `${delay} ms`))}, following ${listOf(causes, 'or')}`;
  },
  example: { delays: [100, 200], statuses: [429, 503], withoutResponse: true },
  more: {
    always: { delays: [1], statuses: 'all', withoutResponse: false },
    longer: { delays: [1, 2, 3], statuses: [429, 503], withoutResponse: true },
  },
  effects: {
    'sender.sends-again': [
      'warning',
      (_, { words }) => `Sends ${words}, unless the caller passes \`retry\`.`,
    ],
  },
  step: (before, after) => {
    if (before === undefined) return 'minor';
    if (after === undefined || after.delays.length < before.delays.length) return 'major';
    if (before.withoutResponse && !after.withoutResponse) return 'major';
    const { statuses } = after;
    if (statuses === 'all') return 'minor';
    if (before.statuses === 'all') return 'major';
    return before.statuses.every((status) => statuses.includes(status)) ? 'minor' : 'major';
  },
  shows: { sender: { 'after a 503, then a 200': 'acknowledged after 2' } },
});
