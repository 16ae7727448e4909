import { statusOf } from './failures.js';
import type { ExecutableAnswers } from './answer-types.js';

test.each([
  ['as answered', { unavailable: { status: 529 } }, 529],
  ['as HTTP defines it', {}, 503],
])('the status of a failure is %s', (_, codes, status) => {
  expect(statusOf('unavailable', codes)).toBe(status);
});

test('the status of a failure that a standard settles stays, whatever its description is', () => {
  const codes: ExecutableAnswers['status-codes'] = { 'token-invalid': { description: 'No.' } };
  expect(statusOf('token-invalid', codes)).toBe(401);
});
