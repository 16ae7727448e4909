import { afterThisFile, makeFolder } from '@plant-store/test-support';
import type Database from 'libsql';

import { statementsFor } from '../statements.js';
import { Room, type Statement } from '../store.js';
import { transitionsFor } from '../transitions.js';
import { openDatabase } from './open-database.js';
import { prepareCycle } from './sqlite-cycle.js';
import { DIALECT } from './sqlite-store.js';

const { database, close } = openDatabase(makeFolder(afterThisFile));
afterThisFile(close);

/** How SQLite carries out a statement: a line for each table that it reads. */
function planOf(text: string): string[] {
  const values = new Set(text.match(/\?\d*/g));
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all([...values].fill('')) as {
    detail: string;
  }[];
  return rows.map(({ detail }) => detail);
}

test('a cycle reads no table from its beginning to its end', () => {
  const texts: string[] = [];
  const recording = Object.create(database, {
    prepare: { value: (text: string) => texts.push(text) && database.prepare(text) },
  }) as Database.Database;
  prepareCycle(recording, 'arbitrary', new Room());

  const scans = texts.flatMap(planOf).filter((line) => line.startsWith('SCAN'));
  expect([...new Set(scans)]).toEqual(['SCAN CONSTANT ROW', 'SCAN inbox_state']);
});

const statements = statementsFor(DIALECT);
const transitions = transitionsFor(DIALECT);
const PAGE = { order: 'newest first', limit: 1 } as const;
const [, history, adopt] = transitions.adopt('arbitrary', { maxAttempts: 1, backoff: 1, maxBackoff: 1 });

test.each<[name: string, statement: Statement, index: string]>([
  ['the history of orphans', history, 'delivery_not_handled (state=?)'],
  ['adopt', adopt, 'delivery_not_handled (state=?)'],
  ['releaseLost', transitions.releaseLost('arbitrary', [[1, 1]]), 'delivery_not_handled (state=?)'],
  ['nextRetry', statements.nextRetry(), 'delivery_due (due_at>?)'],
  ['errorGroups', statements.errorGroups(), 'delivery_not_handled (state=?)'],
  ['a list of a state', statements.list({ state: 'parked' }, PAGE), 'delivery_not_handled (state=?)'],
  ['a list of an error', statements.list({ errorGroup: 'a' }, PAGE), 'delivery_by_error (error_group=?)'],
  ['removeExpired', statements.removeExpired(1), 'delivery_by_time (received_at<?)'],
])('%s reads no more than it needs', (_name, { text }, index) => {
  expect(planOf(text.replaceAll(/\$(?=\d)/g, '?')).join('\n')).toContain(index);
});
