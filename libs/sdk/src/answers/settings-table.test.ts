import { exampleAnswers } from '@plant-store/example-answers';
import { answeredSettingsOf } from './settings-table.js';
import { whileOpen } from './answered-settings.js';
import { settingsTable } from './settings-table.js';

test('while everything is open, nothing is settled', () => {
  expect(answeredSettingsOf({})).toEqual(whileOpen);
});

test('an answer that cannot be carried out settles nothing', () => {
  expect(answeredSettingsOf({ 'event-order': exampleAnswers['event-order'] })).toEqual(whileOpen);
});

test('no two answers settle the same, and none settles what is not there', () => {
  const settled = Object.values(settingsTable).flatMap((row, index) => {
    const id = Object.keys(settingsTable)[index] as keyof typeof settingsTable;
    return typeof row === 'function' ? Object.keys(row(exampleAnswers[id] as never, exampleAnswers)) : [];
  });

  expect(new Set(settled).size).toBe(settled.length);
  expect(Object.keys(whileOpen)).toEqual(expect.arrayContaining(settled));
});

test('what is settled cannot be changed', () => {
  expect(Object.isFrozen(answeredSettingsOf(exampleAnswers))).toBe(true);
});
