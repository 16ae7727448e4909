import { statusOf } from './failures.js';

test.each([
  ['as answered', { unavailable: { status: 529, description: 'Later.' } }, 529],
  ['as HTTP defines it', {}, 503],
])('the status of a failure is %s', (_, codes, status) => {
  expect(statusOf('unavailable', codes)).toBe(status);
});

test('the status of a failure that a standard settles stays, whatever its description is', () => {
  expect(statusOf('token-invalid', { 'token-invalid': { description: 'No.' } })).toBe(401);
});
