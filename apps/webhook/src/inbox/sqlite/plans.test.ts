import { afterThisFile, makeFolder } from '@plant-store/test-support';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import { CLOCK } from '../../clock.js';
import { Operations } from '../operations.js';
import { type Sql, sql } from '../sql.js';
import { Room, type Row, type Store } from '../store.js';
import { transitionsFor } from '../transitions.js';
import { openDatabase } from './open-database.js';
import { prepareCycle } from './sqlite-cycle.js';
import { DIALECT } from './sqlite-store.js';

const { database, close } = openDatabase(makeFolder(afterThisFile));
afterThisFile(close);

/** How SQLite carries out a statement: a line for each table that it reads. */
function planOf(text: string): string[] {
  const values = new Set(text.match(/\?\d*/g));
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...[...values].fill('')) as {
    detail: string;
  }[];
  return rows.map(({ detail }) => detail);
}

test('a cycle reads no table from its beginning to its end', () => {
  const texts: string[] = [];
  const recording = Object.create(database, {
    prepare: { value: (text: string) => texts.push(text) && database.prepare(text) },
  }) as DatabaseSyncInstance;
  prepareCycle(recording, 'arbitrary', new Room());

  const scans = texts.flatMap(planOf).filter((line) => line.startsWith('SCAN'));
  expect([...new Set(scans)]).toEqual(['SCAN inbox_state']);
});

/** A store that notes the plans of what it is asked for. */
function recordPlans(): { readonly store: Store; readonly plans: string[] } {
  const plans: string[] = [];
  const note = (...statements: readonly Sql[]): Promise<Row[]> => {
    plans.push(...statements.flatMap(({ text }) => planOf(text.replaceAll(/\$(?=\d)/g, '?'))));
    return Promise.resolve([{ now: 1, id: 1, filter: '{}', endedAt: 1 }]);
  };
  const size = () => Promise.resolve({ onDisk: 1, inUse: 1 });
  return { store: { dialect: DIALECT, read: note, run: note, size } as unknown as Store, plans };
}

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };
const operationsOn = (store: Store): Operations =>
  new Operations(store, { poll: () => undefined, hold: () => Promise.resolve() }, SILENT, CLOCK);

// What a selection is kept in.
database.exec(DIALECT.withPart(sql``, sql``)[0]!.text);

const ORIGIN = { operator: null, source: null, reason: null };
const transitions = transitionsFor(DIALECT);
const PAGE = { order: 'newest first', limit: 1 } as const;
const POLICY = { maxAttempts: 1, backoff: 1, maxBackoff: 1 };
const RETENTION = { maxAge: 1, maxBytes: undefined, maxEventAge: 1 };

test.each<[name: string, run: (store: Store) => Promise<unknown>, index: string]>([
  [
    'adopt',
    (store) => store.run(...transitions.adopt('arbitrary', POLICY)),
    'delivery_not_handled (state=?)',
  ],
  [
    'releaseLost',
    (store) => store.run(transitions.releaseLost('arbitrary', [[1, { startedAt: 1 }]])),
    'delivery_not_handled (state=?)',
  ],
  ['makeDue', (store) => store.run(transitions.makeDue(1)), 'delivery_due (due_at>?)'],
  ['stats', (store) => operationsOn(store).stats(), 'delivery_due (due_at>?)'],
  ['errorGroups', (store) => operationsOn(store).errorGroups(), 'delivery_not_handled (state=?)'],
  [
    'a list of a state',
    (store) => operationsOn(store).list({ state: 'parked' }, PAGE),
    'delivery_not_handled (state=?)',
  ],
  [
    'a list of an error',
    (store) => operationsOn(store).list({ errorGroup: 'a' }, PAGE),
    'delivery_by_error (error_group=?)',
  ],
  [
    'what became of an act',
    (store) => operationsOn(store).acts.list({ limit: 1 }),
    'COVERING INDEX delivery_by_act (act=?)',
  ],
  [
    'a part of an act',
    (store) => operationsOn(store).acts.begin('replay', { state: ['parked', 'retrying'] }, ORIGIN),
    'delivery_not_handled (state=? AND id>?',
  ],
  [
    'a part of an act on handled deliveries',
    (store) => operationsOn(store).acts.begin('replay', { state: 'handled' }, ORIGIN),
    'SEARCH delivery USING INTEGER PRIMARY KEY (rowid>?',
  ],
  [
    'removeExpired',
    (store) => operationsOn(store).removeExpired(RETENTION),
    'delivery_by_time (received_at<?)',
  ],
])('%s reads no more than it needs', async (_name, run, index) => {
  const { store, plans } = recordPlans();
  await run(store);
  expect(plans).not.toContain('SCAN delivery');
  expect(plans.join('\n')).toContain(index);
});
