import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisTest, makeFolder } from '@plant-store/test-support';
import Database from 'libsql';

import { copyInbox } from '../../../test/copy-inbox.js';
import { damagePage, interiorPagesOf, pageOf, rootPageOf } from '../../../test/damage-inbox.js';
import fc from '../../../test/fast-check.js';
import type { AttemptResult, IncomingDelivery } from '../inbox.js';
import { openSqliteInbox } from '../sqlite-inbox.js';
import { type Missing, salvage, type SalvagedDelivery } from './salvage.js';

const COUNT = 200;

/** Contents within a page, and over several. */
const contentOf = (id: number): Buffer => Buffer.alloc(id % 20 === 0 ? 30_000 : 1_000, `content ${id}. `);

const incoming = (id: number): IncomingDelivery => ({
  method: 'PUT',
  mediaType: id % 2 === 0 ? null : 'text/plain; a="ä"',
  contentEncoding: id % 3 === 0 ? 'gzip' : null,
  eventId: id % 5 === 0 ? `event ${id}` : null,
  fields: id % 4 === 0 ? [] : [['X-Any', `${id} ä`]],
  content: contentOf(id),
});

const resultOf = (id: number): AttemptResult => {
  if (id % 10 === 1) return { kind: 'parked', error: 'no more' };
  return id % 10 === 2 ? { kind: 'failed', error: 'not yet', retryAfter: 3_600_000 } : { kind: 'handled' };
};

const main = (folder: string): string => join(folder, 'inbox.sqlite');
const log = (folder: string): string => join(folder, 'inbox.sqlite-wal');

/**
 * Half of its deliveries have had an attempt. It is so small, and has so few commits, that all is in the write-ahead log,
 * and nothing was moved to the database.
 */
async function makeCrashed(): Promise<string> {
  const folder = makeFolder();
  const inbox = openSqliteInbox(folder);
  afterThisTest(() => inbox.close());
  for (let id = 1; id <= COUNT; id += 1) {
    const accepted = inbox.accept(incoming(id));
    if (id % 50 === 0) await accepted;
  }
  const { deliveries } = await inbox.claim(COUNT / 2);
  await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, resultOf(delivery.id))));
  return copyInbox(folder);
}

/** The same after an orderly stop: one file. */
async function makeClosed(): Promise<string> {
  const folder = await makeCrashed();
  await openSqliteInbox(folder).close();
  return folder;
}

function read(folder: string): { deliveries: SalvagedDelivery[]; missing: Missing } {
  const found = salvage(folder)!;
  const deliveries = [...found.deliveries];
  const missing = found.missing();
  found.close();
  return { deliveries, missing };
}

const execute = (folder: string, sql: string): void => {
  const database = new Database(main(folder));
  database.exec(sql);
  database.close();
};

const idsOf = (deliveries: readonly SalvagedDelivery[]): number[] => deliveries.map(({ id }) => id);
const idsTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

function expectWhole(deliveries: readonly SalvagedDelivery[]): void {
  for (const delivery of deliveries) {
    const { id, receivedAt, method, mediaType, contentEncoding, eventId, fields, content } = delivery;
    const bytes = Buffer.from(content, 'base64');
    expect({ method, mediaType, contentEncoding, eventId, fields, content: bytes.toString() }).toEqual({
      ...incoming(id),
      content: contentOf(id).toString(),
    });
    expect(Math.abs(Date.now() - Date.parse(receivedAt))).toBeLessThan(60_000);
  }
}

function expectStates(deliveries: readonly SalvagedDelivery[]): void {
  for (const { id, state, failures, error } of deliveries) {
    const { kind } = id > COUNT / 2 ? { kind: 'none' } : resultOf(id);
    const want = {
      none: ['waiting', 0, null],
      handled: ['handled', 0, null],
      failed: ['waiting', 1, 'not yet'],
      parked: ['parked', 1, 'no more'],
    }[kind];
    expect([id, state, failures, error]).toEqual([id, ...want!]);
  }
}

test.each([
  ['after an orderly stop', makeClosed],
  ['after a crash', makeCrashed],
])('finds everything %s, and changes no file', async (_name, make) => {
  const folder = await make();
  const filesOf = (): unknown[] =>
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]);
  const before = filesOf();

  const { deliveries, missing } = read(folder);

  expect(idsOf(deliveries)).toEqual(idsTo(COUNT));
  expectWhole(deliveries);
  expectStates(deliveries);
  expect(missing).toEqual({ handled: 0, unhandled: [] });
  expect(filesOf()).toEqual(before);
});

describe('finds everything, with its state, although', () => {
  test.each<[string, () => Promise<string>, (folder: string) => void]>([
    ['the first page is damaged', makeClosed, (folder) => damagePage(folder, 0)],
    ['the root of the deliveries is damaged', makeClosed, (folder) => damagePage(folder, rootPageOf(folder))],
    ['the database is empty beside its log', makeCrashed, (folder) => truncateSync(main(folder))],
    ['the database is missing beside its log', makeCrashed, (folder) => rmSync(main(folder))],
    ['nothing says how many were accepted', makeClosed, (folder) => rmSync(join(folder, 'last-accepted'))],
  ])('%s', async (_name, make, damage) => {
    const folder = await make();
    damage(folder);

    const { deliveries, missing } = read(folder);

    expect(idsOf(deliveries)).toEqual(idsTo(COUNT));
    expectWhole(deliveries);
    expectStates(deliveries);
    expect(missing.unhandled).toEqual([]);
  });

  test('a page between the root and the deliveries is damaged', async () => {
    const folder = makeFolder();
    const inbox = openSqliteInbox(folder);
    const content = Buffer.alloc(4_200, 'arbitrary');
    await Promise.all(Array.from({ length: 1_500 }, () => inbox.accept({ ...incoming(1), content })));
    await inbox.close();
    damagePage(folder, interiorPagesOf(folder)[0]!);

    expect(idsOf(read(folder).deliveries)).toEqual(idsTo(1_500));
  });
});

test('leaves out what a damaged page had, and says so', async () => {
  const folder = await makeClosed();
  damagePage(folder, pageOf(folder, 'content 155. '));

  const { deliveries, missing } = read(folder);

  expectWhole(deliveries);
  expectStates(deliveries);
  const [[first, last]] = missing.unhandled as [[number, number]];
  expect(missing).toEqual({ handled: 0, unhandled: [[first, last]] });
  expect([first <= 155, last >= 155, last - first < 20]).toEqual([true, true, true]);
  expect(idsOf(deliveries)).toEqual(idsTo(COUNT).filter((id) => id < first || id > last));
});

test.each([
  ['parked', 1],
  ['backlog', 2],
])('says nothing of what was handled if the table "%s" is damaged', async (table, last) => {
  const folder = await makeClosed();
  damagePage(folder, rootPageOf(folder, table));

  const { deliveries, missing } = read(folder);

  expect(idsOf(deliveries)).toEqual(idsTo(COUNT));
  expect(missing).toEqual({ handled: 0, unhandled: [] });
  const states = new Map(deliveries.map(({ id, state }) => [id % 10, state]));
  expect([states.get(last), states.get(3)]).toEqual(['unknown', 'unknown']);
});

test('leaves out a delivery of which a later page is missing', async () => {
  const folder = await makeClosed();
  const bytes = readFileSync(main(folder));
  const pages = Array.from({ length: bytes.length / 8_192 }, (_, page) => page * 8_192);
  const LEAF = 13;
  const continued = pages.find(
    (start) => bytes[start] !== LEAF && bytes.subarray(start, start + 8_192).includes('content 160. '),
  );
  // It says which page follows.
  bytes.writeUInt32BE(0xffffff, continued);
  writeFileSync(main(folder), bytes);

  expect(read(folder).missing).toEqual({ handled: 0, unhandled: [[160, 160]] });
});

test('finds what the readable part of a log has, and counts the rest', async () => {
  const folder = await makeCrashed();
  truncateSync(log(folder), statSync(log(folder)).size / 2);

  const { deliveries, missing } = read(folder);

  expect(deliveries.length).toBeGreaterThan(20);
  expectWhole(deliveries);
  expect(missing.unhandled.at(-1)![1]).toBe(COUNT);
  const lost = missing.unhandled.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  expect(deliveries.length + lost).toBe(COUNT);
});

test('skips a part of a log that is damaged', async () => {
  const folder = await makeCrashed();
  const bytes = readFileSync(log(folder));
  bytes.fill(0xff, 100_000, 100_050);
  writeFileSync(log(folder), bytes);

  const { deliveries } = read(folder);

  expect(deliveries.length).toBeGreaterThan(COUNT * 0.8);
  expectWhole(deliveries);
});

describe('in a log', () => {
  const FRAME = 24 + 8_192;
  /** It begins on a page that has the beginnings of others too. */
  const contentWith = (text: string): Buffer => Buffer.alloc(25_550, text);

  test('that ends within a commit, everything of the commits before is found', async () => {
    const folder = makeFolder();
    const inbox = openSqliteInbox(folder);
    afterThisTest(() => inbox.close());
    const size = (): number => statSync(log(folder)).size;
    for (const text of ['one', 'two', 'three'])
      await inbox.accept({ ...incoming(1), content: contentWith(text) });
    const before = size();
    await inbox.accept({ ...incoming(1), content: contentWith('four') });

    for (let end = size() - FRAME; end > before; end -= FRAME) {
      const copy = copyInbox(folder);
      truncateSync(log(copy), end);
      expect(idsOf(read(copy).deliveries).slice(0, 3)).toEqual([1, 2, 3]);
    }
  });

  test('what an earlier log has left behind the last commit does not count', async () => {
    const folder = makeFolder();
    const inbox = openSqliteInbox(folder);
    afterThisTest(() => inbox.close());
    for (let id = 1; id <= 20; id += 1) await inbox.accept({ ...incoming(1), content: Buffer.from('small') });
    execute(folder, 'PRAGMA wal_checkpoint(PASSIVE)');
    await inbox.accept({ ...incoming(1), content: Buffer.from('small') });

    expect(idsOf(read(copyInbox(folder)).deliveries)).toEqual(idsTo(21));
  });
});

test('knows no state without the progress of the handler, except of what failed', async () => {
  const folder = await makeClosed();
  execute(folder, 'DELETE FROM progress');

  const { deliveries } = read(folder);

  expect(idsOf(deliveries)).toEqual(idsTo(COUNT));
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['unknown', 'waiting', 'parked']));
  expectStates(deliveries.filter(({ state }) => state !== 'unknown'));
});

test('does not bring back what was deleted', async () => {
  const folder = await makeClosed();
  execute(folder, "DELETE FROM delivery WHERE id IN (SELECT id FROM overview WHERE state = 'handled')");

  const { deliveries, missing } = read(folder);

  expect(deliveries.filter(({ state }) => state === 'handled')).toEqual([]);
  expectWhole(deliveries);
  expect(missing).toEqual({ handled: COUNT - deliveries.length, unhandled: [] });
});

test('finds nothing in files of anything else', () => {
  const folder = makeFolder();
  expect(salvage(folder)).toBeUndefined();
  for (const bytes of ['', 'anything '.repeat(10_000), '\r'.repeat(100_000)]) {
    writeFileSync(main(folder), bytes);
    writeFileSync(log(folder), bytes);
    expect(read(folder)).toEqual({ deliveries: [], missing: { handled: 0, unhandled: [] } });
  }
});

describe('survives', () => {
  const change = (folder: string, make: (bytes: Buffer) => void): void => {
    const bytes = readFileSync(main(folder));
    make(bytes);
    writeFileSync(main(folder), bytes);
  };

  /** Makes the root of a table a page that leads to others. */
  const leadOn = (folder: string, cells: readonly number[], next: (root: number) => number): void => {
    const root = rootPageOf(folder, 'parked');
    change(folder, (bytes) => {
      const page = bytes.subarray(root * 8_192).fill(0, 0, 12);
      page.writeUInt8(5);
      page.writeUInt16BE(cells.length, 3);
      page.writeUInt32BE(next(root + 1), 8);
      cells.forEach((cell, index) => page.writeUInt16BE(cell, 12 + 2 * index));
    });
  };

  test.each<[string, (folder: string) => void]>([
    ['a table that leads back to itself', (folder) => leadOn(folder, [], (root) => root)],
    ['a table that leads out of its page', (folder) => leadOn(folder, [0xffff], (root) => root)],
    [
      'a list of free pages that leads back to itself',
      (folder) => {
        execute(folder, 'DELETE FROM delivery WHERE id % 20 = 0; PRAGMA wal_checkpoint(TRUNCATE)');
        change(folder, (bytes) => {
          const first = bytes.readUInt32BE(32);
          bytes.writeUInt32BE(first, (first - 1) * 8_192);
        });
      },
    ],
  ])('%s', async (_name, damage) => {
    const folder = await makeClosed();
    damage(folder);

    const { deliveries } = read(folder);

    expect(deliveries.length).toBeGreaterThanOrEqual(COUNT - 10);
    expectWhole(deliveries);
  });
});

test('survives any damage', async () => {
  const folder = await makeCrashed();
  const whole = readFileSync(log(folder));
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
  const damage = (changes: readonly [place: number, byte: number][]): void => {
    const bytes = Buffer.from(whole);
    for (const [place, byte] of changes) bytes[place] = byte;
    // Without its header nothing of the log counts, so that its pages are read as those of the database.
    writeFileSync(main(folder), bytes.subarray(32 + 24));
    rmSync(log(folder), { force: true });

    expect(() => read(folder)).not.toThrow();
  };
  fc.assert(fc.property(fc.array(change, { minLength: 50, maxLength: 50 }), damage), { numRuns: 10 });
});
