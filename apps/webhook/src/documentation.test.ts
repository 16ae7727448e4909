import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import { DatabaseSync } from '@photostructure/sqlite';

import { copyInbox } from '../test/copy-inbox.js';
import { openEmbedded } from '../test/open-inbox.js';
import { overviewSuite, type ReadDatabase } from '../test/overview.suite.js';
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
const operationsPage = pageOf('reference/operations.md');

/** Pages that say what to do. */
const PAGES = ['it-fails', 'back-up', 'replay-and-discard', 'share-an-inbox', 'write-a-handler'].map(
  (name) => `how-to/${name}.md`,
);

/** A setting with its block: heading, default, unit, meaning. */
const SETTING = /^### `(\w+)`\n\n(?:Default `([^`]*)`|No default)(?:, in (\w+))?\. (.+)/gm;

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

test('each error code is on the page of a start that fails, or on that of responses, with its meaning', () => {
  const codes = (page: string): (readonly [string, string])[] =>
    [...page.matchAll(/^- `([A-Z_]+)`: (.*)$/gm)].map(([, code, meaning]) => [code!, meaning!]);
  const ofStart = codes(pageOf('how-to/it-fails.md')).map(([code]) => code);
  const ofResponses = codes(responsesPage);

  expect([...ofStart, ...ofResponses.map(([code]) => code)].sort()).toEqual(
    Object.keys(RECEIVER_ERRORS).sort(),
  );
  expect(RECEIVER_ERRORS).toMatchObject(Object.fromEntries(ofResponses));
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
      areTokensCurrent: () => true,
    },
    recordLog().logger,
  ).text();
  const own = [...exposition.matchAll(/^# TYPE (plant_store_\w+) (\w+)$/gm)];

  expect(
    [...operationsPage.matchAll(/^- (`plant_store_\w+`) \((\w+)\): /gm)]
      .map(([, name, type]) => `${name!} ${type!}`)
      .sort(),
  ).toEqual(own.map(([, name, type]) => `${code(name)} ${type!}`).sort());
});

test('docs/reference/operations.md lists every fault of a request with its status, and no other', () => {
  const listed = [...operationsPage.matchAll(/^- (\d+): (.*)$/gm)].flatMap(([, status, faults]) =>
    [...faults!.matchAll(/`([A-Z_]+)`/g)].map(([, fault]) => [fault, Number(status)]),
  );

  expect(listed).toEqual(Object.entries(REQUEST_FAULTS));
});

test.each([
  'apps/webhook/serve/serve.mjs',
  'deploy/Dockerfile',
  'deploy/plant-store-webhook.service',
  'deploy/start-once.mjs',
])('%s starts a receiver with the larger young generation', (name) => {
  const text = readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

  expect(text).toContain('--max-semi-space-size=64');
});

/** An inbox, read in a copy of its files. */
async function openEmbeddedWithReader(): Promise<ReadDatabase> {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  const rows: ReadDatabase['rows'] = async (query) => {
    const database = new DatabaseSync(join(copyInbox(folder), 'inbox.sqlite'));
    afterThisTest(() => database.close());
    return database.prepare(query, { returnArrays: true }).all() as unknown[][];
  };
  return { inbox, rows };
}

overviewSuite('an embedded inbox', openEmbeddedWithReader, { wrongBytes: '\ufffdA', zero: '0' });
