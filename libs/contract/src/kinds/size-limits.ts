import { MAX_SIZE_LIMIT } from '../limits.js';
import { kind } from './kind.js';
import { wholeNumber } from './parts.js';

/** The default of `MAX_CONTENT_BYTES` of the receiver. */
const WHILE_OPEN = 1_048_576;

/** The largest content of a delivery. */
export const sizeLimits = kind('size-limits', wholeNumber(1, MAX_SIZE_LIMIT, ' of bytes'), {
  inWords: (bytes) => `${bytes} bytes`,
  example: 1_000,
  more: { larger: 1_500, smaller: 500, largest: 2_000_000 },
  effects: {
    'receiver.refuses-size': [
      'breaking',
      (_bytes, { statusOf, words }) =>
        `Takes content of at most ${words}; larger content gets ${statusOf('content-too-large')}.`,
    ],
    'sender.refuses-size': [
      'breaking',
      (_bytes, { words }) => `Refuses content of more than ${words} before it is sent.`,
    ],
  },
  fails: (from = WHILE_OPEN, to = WHILE_OPEN, _sender, { statusOf }) =>
    from <= to ? undefined : `content of more than ${to} bytes gets ${statusOf('content-too-large')}`,
  step: (before = Infinity, after = Infinity) => (before <= after ? 'minor' : 'major'),
  shows: {
    receiver: {
      'of 2000 bytes': 'refused with 413',
      'started with other settings': 'refuses MAX_CONTENT_BYTES',
    },
    sender: { 'with content of 2000 bytes': 'PLANT_STORE_CONTENT_TOO_LARGE' },
  },
});
