import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder, tableOf } from '@plant-store/test-support';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

import { copyInbox } from '../test/copy-inbox.js';
import { act, Claims, failed, HANDLED, incoming, only, openEmbedded, PARKED } from '../test/open-inbox.js';
import { recordLog } from '../test/record-log.js';
import { composeAnswers } from './answers/compose-answers.js';
import { parseConfig, SETTING_NAMES } from './config/config.js';
import { RECEIVER_ERRORS } from './errors.js';
import { Counters } from './counters.js';
import { Metrics } from './operations/metrics.js';
import { REQUEST_FAULTS } from './operations/request-fault.js';

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const settingsPage = pageOf('reference/settings.md');
const responsesPage = pageOf('reference/responses.md');
const inboxPage = pageOf('reference/inbox.md');
const operationsPage = pageOf('reference/operations.md');

/** Pages that say what to do. */
const PAGES = [
  'it-fails',
  'back-up',
  'replay-and-discard',
  'share-an-inbox',
  'watch',
  'write-a-handler',
  'forward-to-a-service',
  'hand-on-to-a-broker',
].map((name) => `how-to/${name}.md`);

/** A setting with its block: heading, default, unit, meaning. */
const SETTING = /^### `(\w+)`\n\n(?:Default `([^`]*)`|No default)(?:, in (\w+))?\. (.+)/gm;

/** The SQL that docs/reference/inbox.md shows. */
const query = /```sql\n(.*?)```/s.exec(inboxPage)![1]!;

const code = (value: unknown): string => `\`${String(value)}\``;

describe('docs/reference/settings.md', () => {
  const blocks = [...settingsPage.matchAll(SETTING)];

  test('has every setting with its default, and no other', () => {
    const defaults = parseConfig(
      { ACCESS_TOKENS: 'arbitrary', HANDLER: 'arbitrary' },
      composeAnswers({}).settings,
    );
    const want = SETTING_NAMES.map((name) => [
      name,
      ['ACCESS_TOKENS', 'HANDLER'].includes(name) || defaults[name] === undefined
        ? undefined
        : String(defaults[name]),
    ]);

    expect(blocks.map(([, name, standard]) => [name, standard])).toEqual(want);
    expect(settingsPage.match(/^### /gm)).toHaveLength(want.length);
  });

  test('gives the unit that the name of a setting says', () => {
    for (const [, name, , unit] of blocks) {
      if (name!.includes('_MS')) expect([name, unit]).toEqual([name, 'ms']);
      if (name!.includes('BYTES')) expect([name, unit]).toEqual([name, 'bytes']);
    }
  });
});

test('docs/reference/responses.md lists every error code with its meaning, and no other', () => {
  expect(
    [...responsesPage.matchAll(/^- `([A-Z_]+)`: (.*)$/gm)].map(([, name, meaning]) => [name, meaning]),
  ).toEqual(Object.entries(RECEIVER_ERRORS));
});

test.each(PAGES)('docs/%s names settings and codes that exist', (page) => {
  const known = [
    ...SETTING_NAMES,
    ...Object.keys(RECEIVER_ERRORS),
    ...Object.keys(REQUEST_FAULTS),
    ...['NODE_EXTRA_CA_CERTS', 'PGPASSWORD'],
  ];
  const named = [...pageOf(page).matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map(([, name]) => name);

  expect(named.filter((name) => !known.includes(name!))).toEqual([]);
});

test('docs/reference/operations.md lists every metric of the receiver with its type, and no other', async () => {
  const exposition = await new Metrics(
    new Counters(),
    {
      stats: () => Promise.reject(new Error()),
      reasons: async () => [],
      freeBytes: async () => undefined,
    },
    recordLog().logger,
  ).text();
  const own = [...exposition.matchAll(/^# TYPE (plant_store_\w+) (\w+)$/gm)];

  expect(
    tableOf(operationsPage, 'Metric')
      .map(([name, type]) => `${name!} ${type!}`)
      .sort(),
  ).toEqual(own.map(([, name, type]) => `${code(name)} ${type!}`).sort());
});

test('docs/reference/operations.md lists every fault of a request with its status, and no other', () => {
  expect(tableOf(operationsPage, 'Fault').map(([fault, status]) => [fault, status])).toEqual(
    Object.entries(REQUEST_FAULTS).map(([fault, status]) => [code(fault), String(status)]),
  );
});

describe('the SQL that docs/reference/inbox.md shows works:', () => {
  /** An inbox with a delivery in each state, and a connection to it. */
  async function makeInbox(): Promise<DatabaseSyncInstance> {
    const folder = makeFolder();
    const inbox = await openEmbedded(folder);
    const claims = Claims.begin(inbox);
    for (let count = 0; count < 6; count += 1) await inbox.accept(incoming('arbitrary'));
    await claims.settle(HANDLED, failed(3_600_000), PARKED, { ...PARKED, error: 'wrong plant' });
    await act(inbox, 'discard', only(4), 'arbitrary');
    await claims.claim(1);
    const copy = copyInbox(folder);
    await inbox.close();
    const database = new DatabaseSync(join(copy, 'inbox.sqlite'));
    afterThisTest(() => database.close());
    return database;
  }

  const rowsOf = (database: DatabaseSyncInstance, sql: string): unknown[] =>
    database.prepare(sql, { returnArrays: true }).all();

  test('counting deliveries by state, and the states that it lists', async () => {
    const database = await makeInbox();

    const rows = rowsOf(database, query);
    expect(rows).toEqual([
      ['discarded', 1],
      ['handled', 1],
      ['parked', 1],
      ['retrying', 1],
      ['running', 1],
      ['waiting', 1],
    ]);
    const documented = tableOf(inboxPage, 'State').map(([state]) => state);
    expect(documented.sort()).toEqual(rows.map((row) => code((row as unknown[])[0])));
  });

  test('the columns of the overview', async () => {
    const database = await makeInbox();
    const columns = database
      .prepare('SELECT * FROM overview')
      .columns()
      .map(({ name }) => name);
    const sentence = /^`overview` has a row for each delivery: (.*)$/m.exec(inboxPage)?.[1] ?? '';

    expect([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(columns);
  });
});
