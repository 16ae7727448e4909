import { overdueFaults, type StillAccepted, stillAcceptedFaults } from './check-still-accepted.js';
import type { Answers } from './answer-types.js';

const decided = { until: '2026-12-31', decidedBy: 'Ada Grower', reason: 'Two senders still POST.' };
const answers: Answers = {
  'http-method': 'PUT',
  'media-type': 'application/json',
  'receiver-response': { status: 200, description: 'Taken.' },
  retry: { delays: [1], statuses: [204], withoutResponse: true },
};

test('nothing is accepted beside the answers', () => {
  expect(stillAcceptedFaults({}, answers)).toEqual([]);
  expect(overdueFaults({}, '2026-12-31')).toEqual([]);
});

test('values beside each answer', () => {
  const stillAccepted: StillAccepted = {
    'http-method': { also: ['POST'], ...decided },
    'media-type': { also: ['application/plant+json'], ...decided },
    'receiver-response': { also: [202], ...decided },
  };
  expect(stillAcceptedFaults(stillAccepted, answers)).toEqual([]);
});

test('another media type than JSON, and a status after which every other one is sent again', () => {
  const given: Answers = {
    'media-type': 'text/plain',
    'receiver-response': { status: 200, description: 'Taken.' },
    retry: { delays: [1], statuses: 'all', withoutResponse: true },
  };
  const stillAccepted: StillAccepted = {
    'media-type': { also: ['text/csv'], ...decided },
    'receiver-response': { also: [202], ...decided },
  };
  expect(stillAcceptedFaults(stillAccepted, given)).toEqual([]);
});

test.each<[string, StillAccepted, string]>([
  ['no value', { 'http-method': { also: [], ...decided } }, 'also must be a list with a value (got a list)'],
  [
    'the answer',
    { 'http-method': { also: ['PUT'], ...decided } },
    'also must not have PUT, which is the answer',
  ],
  [
    'another method',
    { 'http-method': { also: ['GET' as never], ...decided } },
    'also[0] must be "POST" | "PUT" | "PATCH" (got "GET")',
  ],
  [
    'no media type',
    { 'media-type': { also: ['json'], ...decided } },
    'also[0] must be a media type without parameters, such as application/json (got "json")',
  ],
  [
    'content that is read in another way',
    { 'media-type': { also: ['text/plain'], ...decided } },
    'also must not have text/plain, because content is read as application/json',
  ],
  [
    'a status that no receiver responds with',
    { 'receiver-response': { also: [206 as never], ...decided } },
    'also[0] must be 200 | 201 | 202 | 203 | 204 | 205 (got 206)',
  ],
  [
    'a status after which a delivery is sent again',
    { 'receiver-response': { also: [204], ...decided } },
    'also must not have 204, after which retry sends again',
  ],
  [
    'no day',
    { 'http-method': { also: ['POST'], ...decided, until: '2026-02-30' } },
    'until must be a day such as 2026-01-31 (got "2026-02-30")',
  ],
  [
    'words instead of a day',
    { 'http-method': { also: ['POST'], ...decided, until: 'soon' } },
    'until must be a day such as 2026-01-31 (got "soon")',
  ],
  [
    'nobody',
    { 'http-method': { also: ['POST'], ...decided, decidedBy: ' ' } },
    'decidedBy must be text that is not empty (got " ")',
  ],
  [
    'no reason',
    { 'http-method': { also: ['POST'], ...decided, reason: '' } },
    'reason must be text that is not empty (got "")',
  ],
])('%s', (_name, stillAccepted, fault) => {
  expect(stillAcceptedFaults(stillAccepted, answers)[0]).toBe(`${Object.keys(stillAccepted)[0]}: ${fault}`);
});

test('an open question has nothing beside it', () => {
  expect(stillAcceptedFaults({ 'http-method': { also: ['POST'], ...decided } }, {})).toEqual([
    'http-method: is not answered with a value beside which others can be accepted',
  ]);
});

test('the last day is until; the day after it is too late', () => {
  const stillAccepted: StillAccepted = { 'http-method': { also: ['POST'], ...decided } };
  expect(overdueFaults(stillAccepted, '2026-12-31')).toEqual([]);
  expect(overdueFaults(stillAccepted, '2027-01-01')).toEqual([
    'http-method: until 2026-12-31 is over; remove it, or decide on a later day',
  ]);
});
