import * as v from 'valibot';
import { type Failure, SETTLED_FAILURES, statusOf } from '../failures.js';
import { kind, listOf } from './kind.js';
import { failures, forEach, isWhole, members, said } from './parts.js';

/** Statuses that require a header field that nobody has answered (RFC 9110 §15.5.2, §15.5.6, §15.5.8, §15.5.22). */
const STATUSES_WITH_A_HEADER = [401, 405, 407, 426];

/** The responses to failures. A failure that is left out keeps its status. */
const schema = members({
  ...forEach(
    failures,
    v.strictObject({
      status: v.pipe(
        v.number(),
        v.check(
          (status) => isWhole(status, 400, 599) && !STATUSES_WITH_A_HEADER.includes(status),
          'a status from 400 to 599 that requires no other header field',
        ),
      ),
      /** For the document, and for an error payload that has it. */
      description: said,
    }),
  ),
  ...forEach(
    SETTLED_FAILURES,
    v.strictObject({
      status: v.optional(v.never('left out, because a standard settles it')),
      description: said,
    }),
  ),
});

export const statusCodes = kind('status-codes', schema, {
  inWords: (codes) =>
    listOf(Object.keys(codes).map((failure) => `${statusOf(failure as Failure, codes)} for ${failure}`)),
  example: {
    'content-invalid': { status: 409, description: 'The plant is not as agreed.' },
    'content-too-large': { status: 413, description: 'The plant is too large.' },
  },
  more: { other: { 'content-invalid': { status: 422, description: 'The plant is not as agreed.' } } },
  builtOn: ['http-method', 'media-type', 'payload', 'plant-fields'],
  effects: {
    'receiver.refuses-with-status': ['info', (_codes, { words }) => `Refuses with ${words}.`],
    'sender.reads-status': ['info', () => 'Names the failure in the error of a delivery, by the status.'],
  },
  step: () => 'minor',
  shows: {
    receiver: { 'with a plant alone': 'refused with 409', 'with a plant without a name': 'refused with 409' },
    sender: { 'after a 409 with a problem': 'not acknowledged · content-invalid' },
  },
});
