import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { ReceiverError } from '../errors.js';
import type { Delivery, Inbox } from './inbox.js';
import { openSqliteInbox } from './sqlite-inbox.js';

/** What version 2 adds to a file of version 1. */
const TO_VERSION_2 = `
  ALTER TABLE delivery ADD COLUMN event_id TEXT;
  CREATE UNIQUE INDEX delivery_event_id ON delivery (event_id) WHERE event_id IS NOT NULL;
  UPDATE delivery SET event_id = 'evt_' || id;
  PRAGMA user_version = 2;
`;

/** A file of version 1: delivery 1 is handled, 2 comes again, 3 is parked, 4 waits. */
const FILE_OF_VERSION_1 = `
  CREATE TABLE delivery (
    id INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    method TEXT NOT NULL,
    media_type TEXT,
    content_encoding TEXT,
    content BLOB NOT NULL
  ) STRICT;

  CREATE TABLE progress (
    handled_through INTEGER NOT NULL
  ) STRICT;
  INSERT INTO progress VALUES (0);

  CREATE TABLE backlog (
    delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
    due_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    error TEXT
  ) STRICT;
  CREATE INDEX backlog_due_at ON backlog (due_at);

  CREATE TABLE parked (
    delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
    parked_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    error TEXT NOT NULL
  ) STRICT;

  CREATE VIEW overview AS
  SELECT
    delivery.id,
    strftime('%Y-%m-%dT%H:%M:%fZ', delivery.received_at / 1000.0, 'unixepoch') AS received_at,
    CASE
      WHEN parked.delivery_id IS NOT NULL THEN 'parked'
      WHEN backlog.delivery_id IS NOT NULL OR delivery.id > progress.handled_through THEN 'waiting'
      ELSE 'handled'
    END AS state,
    coalesce(parked.failures, backlog.failures, 0) AS failures,
    coalesce(parked.error, backlog.error) AS error,
    delivery.method,
    delivery.media_type,
    delivery.content_encoding,
    length(delivery.content) AS bytes,
    CAST(delivery.content AS TEXT) AS content
  FROM delivery
  CROSS JOIN progress
  LEFT JOIN backlog ON backlog.delivery_id = delivery.id
  LEFT JOIN parked ON parked.delivery_id = delivery.id;

  PRAGMA user_version = 1;

  INSERT INTO delivery VALUES
    (1, 1000, 'POST', NULL, NULL, x'01'),
    (2, 2000, 'PUT', 'text/plain', 'gzip', x'02'),
    (3, 3000, 'POST', NULL, NULL, x'03'),
    (4, 4000, 'PATCH', 'text/plain', NULL, x'00ff');
  UPDATE progress SET handled_through = 3;
  INSERT INTO backlog VALUES (2, 0, 5, 'not yet');
  INSERT INTO parked VALUES (3, 0, 12, 'no more');
`;

function makeFileOfVersion1(): { folder: string; file: Database.Database } {
  const folder = makeFolder();
  const file = connect(folder);
  file.exec(FILE_OF_VERSION_1);
  return { folder, file };
}

function connect(folder: string): Database.Database {
  const file = new Database(join(folder, 'inbox.sqlite'));
  afterThisTest(() => file.close());
  return file;
}

function openInbox(folder: string): Inbox {
  const inbox = openSqliteInbox(folder);
  afterThisTest(() => inbox.close());
  return inbox;
}

const versionOf = (file: Database.Database): unknown => file.prepare('PRAGMA user_version').raw().get([]);

/** Everything that is defined in a file, without white space. */
const definitionsOf = (file: Database.Database): unknown[] =>
  (
    file.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all([]) as {
      type: string;
      name: string;
      sql: string;
    }[]
  ).map(({ type, name, sql }) => [type, name, sql.replaceAll(/\s+/g, ' ')]);

describe('a file of version 1', () => {
  test('is opened with all its content', async () => {
    const { folder, file } = makeFileOfVersion1();
    const inbox = openInbox(folder);

    expect(await inbox.stats()).toMatchObject({ waiting: 2, parked: 1 });
    expect((await inbox.claim(10)).deliveries).toEqual<Delivery[]>([
      {
        id: 2,
        receivedAt: 2_000,
        failures: 5,
        suspect: false,
        method: 'PUT',
        mediaType: 'text/plain',
        contentEncoding: 'gzip',
        eventId: null,
        fields: [],
        content: Buffer.from([2]),
      },
      {
        id: 4,
        receivedAt: 4_000,
        failures: 0,
        suspect: false,
        method: 'PATCH',
        mediaType: 'text/plain',
        contentEncoding: null,
        eventId: null,
        fields: [],
        content: Buffer.from([0, 255]),
      },
    ]);
    expect(file.prepare('SELECT id, state, error, event_id FROM overview ORDER BY id').raw().all([])).toEqual(
      [
        [1, 'handled', null, null],
        [2, 'waiting', 'not yet', null],
        [3, 'parked', 'no more', null],
        [4, 'waiting', null, null],
      ],
    );
  });

  test('is like a new one from then on', async () => {
    const { folder, file } = makeFileOfVersion1();
    await openSqliteInbox(folder).close();
    const newFolder = makeFolder();
    await openSqliteInbox(newFolder).close();

    expect(definitionsOf(file)).toEqual(definitionsOf(connect(newFolder)));
    expect(versionOf(file)).toEqual(versionOf(connect(newFolder)));

    const again = openInbox(folder);
    const delivery = { method: 'POST', mediaType: null, contentEncoding: null, eventId: 'a', fields: [] };
    expect(await again.accept({ ...delivery, content: Buffer.from('first') })).toBe(5);
    expect(await again.accept({ ...delivery, content: Buffer.from('second') })).toBe(5);
  });

  test('stays as it is if it cannot be migrated', () => {
    const { folder, file } = makeFileOfVersion1();
    file.exec('CREATE TABLE delivery_event_id (of_somebody_else)');
    const before = definitionsOf(file);

    expect(() => openSqliteInbox(folder)).toThrow(ReceiverError);

    expect(versionOf(file)).toEqual([1]);
    expect(definitionsOf(file)).toEqual(before);
    file.exec('DROP TABLE delivery_event_id');
    expect(() => openInbox(folder)).not.toThrow();
  });
});

test('a file of version 2 is opened with all its content, and is like a new one from then on', async () => {
  const { folder, file } = makeFileOfVersion1();
  file.exec(TO_VERSION_2);
  const inbox = openInbox(folder);

  expect(await inbox.stats()).toMatchObject({ waiting: 2, parked: 1 });
  expect((await inbox.claim(10)).deliveries).toMatchObject([
    { id: 2, failures: 5, suspect: false, eventId: 'evt_2' },
    { id: 4, failures: 0, suspect: false, eventId: 'evt_4' },
  ]);
  const newFolder = makeFolder();
  await openSqliteInbox(newFolder).close();
  expect(definitionsOf(file)).toEqual(definitionsOf(connect(newFolder)));
  expect(versionOf(file)).toEqual([4]);
});
