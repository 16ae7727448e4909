import { changedText, dueText, gapText, outcomeText, runsOf } from './in-words.js';

test.each([
  ['is in the future', 2, false, 'at 2'],
  ['is over', 1, false, 'now'],
  ['is in the future, and the handler is paused', 2, true, 'after the pause'],
  ['is over, and the handler is paused', 1, true, 'after the pause'],
])('a due time that %s', (_name, dueAt, isPaused, text) => {
  expect(dueText({ dueAt, now: 1, isPaused }, String)).toBe(text);
});

test('attempts are a run if they follow each other and failed alike: none between them may have failed otherwise', () => {
  const history = [
    [1, 'a'],
    [4, 'a'],
    [5, 'a'],
    [6, 'b'],
    [1, 'b'],
    [2, 'b'],
  ] as const;
  const runs = runsOf(history.map(([number, error]) => ({ number, error })));

  expect(runs.map((run) => run.map(({ number }) => number))).toEqual([[1], [4, 5], [6], [1, 2]]);
});

test.each([
  [undefined, 1, ''],
  [1, 2, ''],
  [1, 3, 'attempt 2 is not kept'],
  [1, 4, 'attempts 2 and 3 are not kept'],
  [1, 5, 'attempts 2 to 4 are not kept'],
  [12, 1, ''],
  [12, 4, 'attempts 1 to 3 are not kept'],
  [undefined, 2, 'attempt 1 is not kept'],
])('between the kept attempts %p and %p: %p', (before, next, text) => {
  expect(gapText(before === undefined ? undefined : { number: before }, { number: next })).toBe(text);
});

test.each([
  [null, 120, '120 of 1,000'],
  [null, 1_012, '1,012'],
  [1, 120, '120'],
])('an act that ended at %p, and has changed %p of 1,000', (endedAt, changed, text) => {
  expect(changedText({ changed, selected: 1_000, endedAt })).toBe(text);
});

test('what became of a replay', () => {
  const act = { handled: 1_000, failed: 3, retrying: 0, waiting: 2 };
  expect(outcomeText(act)).toBe('handled 1,000, failed 3, waiting 2');
  expect(outcomeText({ ...act, retrying: 1 })).toBe('handled 1,000, failed 3 (1 comes again), waiting 2');
});
