import { kind, listOf } from './kind.js';
import { failures, forEach, members, textThat } from './parts.js';

/** The codes of failures. The error payload carries them. */
const schema = members(forEach(failures, textThat(/^./s, 'text that is not empty')));

export const errorCodes = kind('error-codes', schema, {
  inWords: (codes) => listOf(Object.entries(codes).map(([failure, code]) => `\`${code}\` for ${failure}`)),
  example: {
    'token-invalid': 'EXAMPLE_TOKEN',
    'content-invalid': 'EXAMPLE_PLANT',
    'rate-exceeded': 'EXAMPLE_RATE',
  },
  more: { other: { 'content-invalid': 'OTHER_PLANT' } },
  builtOn: ['http-method', 'media-type', 'payload', 'plant-fields', 'status-codes', 'error-payloads'],
  effects: {
    'receiver.sends-code': [
      'info',
      (_codes, { hasCode, words }) => (hasCode ? `Sends a code with these refusals: ${words}.` : undefined),
    ],
    'sender.reads-code': [
      'info',
      (_codes, { hasCode }) =>
        hasCode ? 'Names the failure in the error of a delivery, by the code.' : undefined,
    ],
  },
  step: (_before, _after, old, now) => (old.hasCode || now.hasCode ? 'minor' : 'patch'),
  shows: {
    receiver: {
      'with a wrong token':
        '401 · Bearer error="invalid_token" · application/problem+json · {"status":401,"code":"EXAMPLE_TOKEN"}',
    },
    sender: { 'after a 400 with a code': 'not acknowledged · content-invalid · {"code":"EXAMPLE_PLANT"}' },
  },
});
