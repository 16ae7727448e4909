import { dueText } from './due.js';

test.each([
  ['is in the future', 2, false, 'at 2'],
  ['is over', 1, false, 'now'],
  ['is in the future, and the handler is paused', 2, true, 'after the pause'],
  ['is over, and the handler is paused', 1, true, 'after the pause'],
])('a due time that %s', (_name, dueAt, isPaused, text) => {
  expect(dueText({ dueAt, now: 1, isPaused }, String)).toBe(text);
});
