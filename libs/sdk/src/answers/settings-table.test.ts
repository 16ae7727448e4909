import { exampleAnswers } from '@plant-store/example-answers';
import { readRetry } from '../options/retry.js';
import { answeredSettingsOf, settingsTable } from './settings-table.js';

test('while everything is open, no setting is decided', () => {
  expect(answeredSettingsOf({})).toEqual({});
});

test('an answered policy is taken over as it is', () => {
  const { retry } = exampleAnswers;
  expect(answeredSettingsOf({ retry }).retry).toBe(retry);
  expect(readRetry(retry)).toEqual({ ...retry, jitter: 0, maxRetryAfter: 0 });
});

test('no two answers decide the same setting', () => {
  const decided = Object.values(settingsTable).flatMap((row, index) => {
    const id = Object.keys(settingsTable)[index] as keyof typeof settingsTable;
    return Object.keys(row(exampleAnswers[id] as never, exampleAnswers));
  });

  expect(new Set(decided).size).toBe(decided.length);
});

test('the settings are frozen', () => {
  expect(Object.isFrozen(answeredSettingsOf(exampleAnswers))).toBe(true);
});
