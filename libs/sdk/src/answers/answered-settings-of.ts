import type { Answers, ExecutableId } from '@plant-store/contract';
import { type AnsweredSettings, whileOpen } from './answered-settings.js';
import { NOT_VISIBLE, type SettingsRow, settingsTable } from './settings-table.js';

/** Composes what a set of answers without faults settles for a sender. */
export function answeredSettingsOf(given: Answers): AnsweredSettings {
  const settled = Object.entries(given).map(([id, answer]) => {
    const row = Object.hasOwn(settingsTable, id)
      ? (settingsTable[id as ExecutableId] as SettingsRow<ExecutableId>)
      : NOT_VISIBLE;
    return row === NOT_VISIBLE ? {} : row(answer, given);
  });
  return Object.freeze(Object.assign({}, whileOpen, ...settled) as AnsweredSettings);
}
