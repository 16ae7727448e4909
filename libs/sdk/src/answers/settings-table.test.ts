import { exampleAnswers } from '@plant-store/example-answers';
import { whileOpen } from './answered-settings.js';
import { answeredSettingsOf, settingsTable } from './settings-table.js';

test('while everything is open, no setting is decided', () => {
  expect(answeredSettingsOf({})).toEqual(whileOpen);
});

test('an answer that software does not carry out decides nothing', () => {
  expect(answeredSettingsOf({ 'event-order': exampleAnswers['event-order'] })).toEqual(whileOpen);
});

test('no two answers decide the same setting, and every decided setting exists', () => {
  const decided = Object.values(settingsTable).flatMap((row, index) => {
    const id = Object.keys(settingsTable)[index] as keyof typeof settingsTable;
    return Object.keys(row(exampleAnswers[id] as never, exampleAnswers, {}));
  });

  expect(new Set(decided).size).toBe(decided.length);
  expect(Object.keys(whileOpen)).toEqual(expect.arrayContaining(decided));
});

test('the settings are frozen', () => {
  expect(Object.isFrozen(answeredSettingsOf(exampleAnswers))).toBe(true);
});
