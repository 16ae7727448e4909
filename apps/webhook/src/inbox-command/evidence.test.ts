import { gzipSync } from 'node:zlib';

import { InnerProcess, plantInbox } from '../../test/run-plant-inbox.js';
import { stoppedInbox } from '../../test/serve-inbox.js';
import { EvidenceCollector, evidenceText, type ReadDelivery } from './evidence.js';
import { Terminal } from './terminal.js';

/** In every value, and in every name that is a value. */
const CANARY = 'canary';
const NUMBER = 918_273_645;

const delivery = (content: string | Buffer, given: Partial<ReadDelivery> = {}): ReadDelivery => ({
  ...{
    state: 'waiting',
    method: 'POST',
    mediaType: 'application/json',
    contentEncoding: null,
    receivedAt: 1_000,
  },
  ...{ fields: [], content: Buffer.from(content) },
  ...given,
});

const json = (content: unknown, given: Partial<ReadDelivery> = {}): ReadDelivery =>
  delivery(JSON.stringify(content), given);

function evidenceOf(...all: readonly ReadDelivery[]): ReturnType<EvidenceCollector['result']> {
  const collector = new EvidenceCollector();
  all.forEach((each) => collector.add(each));
  return collector.result();
}

/** A row for each field: path, how many of how many, types, formats. */
const rows = (...contents: readonly unknown[]): string[] =>
  evidenceOf(...contents.map((content) => json(content))).fields.map(({ path, of, types, formats }) => {
    const values = Object.values(types).reduce((sum, count) => sum + count, 0);
    return [path, `${values}/${of}`, ...Object.keys(types), ...formats].join(' ');
  });

const byId = (of: number, content: unknown): object =>
  Object.fromEntries(Array.from({ length: of }, (_, index) => [`${CANARY}-${index}`, content]));

test('of an inbox without deliveries, nothing is shown', async () => {
  expect(await plantInbox('evidence', '--inbox', await stoppedInbox([]))).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'No deliveries with a content.\n',
  });
});

test('shapes and counts are shown of the deliveries that are chosen', async () => {
  const inbox = await stoppedInbox([['a'], ['a'], ['b']]);
  const { stdout } = await plantInbox('evidence', '--id', '1..2', '-o', 'json', '--inbox', inbox);

  expect(JSON.parse(stdout)).toMatchObject({ deliveries: 2, methods: { POST: 2 }, contents: { other: 2 } });
});

test('discarded deliveries are counted, and repeats with the time between them', () => {
  const same = { fields: [['X-Id', 'a']] as const };
  const found = evidenceOf(
    json({ a: 1 }, same),
    json({ a: 2 }, { method: 'PUT' }),
    json({ a: 1 }, { ...same, receivedAt: 61_000 }),
    json({ a: 1 }, { ...same, receivedAt: 64_000 }),
    json(null, { state: 'discarded' }),
  );

  expect(found).toMatchObject({
    ...{ deliveries: 4, discarded: 1, firstReceivedAt: 1_000, lastReceivedAt: 64_000 },
    methods: { POST: 3, PUT: 1 },
    contentEncodings: { '(none)': 4 },
    contents: { json: 4, other: 0, unread: 0 },
    sizes: { least: 7, median: 7, most: 7 },
    repeats: { deliveries: 2, between: { least: 3_000, most: 60_000 } },
    headerFields: { 'x-id': 3 },
  });
});

test('what is kept does not grow with the deliveries: a median has three digits, and old contents are forgotten', () => {
  const collector = new EvidenceCollector(2);
  for (const content of ['a', 'b', 'a', 'c', 'a', 'b']) collector.add(delivery(content.repeat(1_234)));

  expect(collector.result()).toMatchObject({
    sizes: { least: 1_234, median: 1_234, most: 1_234 },
    repeats: { deliveries: 2 },
  });
  expect(evidenceOf(...[1, 12_345, 99_999].map((size) => delivery('a'.repeat(size)))).sizes).toEqual({
    ...{ least: 1, median: 12_300, most: 99_999 },
  });
});

test('a field has a row with its types and formats, and how many objects have it', () => {
  expect(
    rows({ a: 1, b: '2026-01-31' }, { a: 1.5, b: '2028-02-29' }, { a: null, 'c/~': [{ id: 1 }, {}] }, []),
  ).toEqual([
    ' 4/4 object array',
    '/a 3/3 integer number null',
    '/b 2/3 string date',
    '/c~1~0 1/3 array',
    '/c~1~0/[] 2/1 object',
    '/c~1~0/[]/id 1/2 integer',
  ]);
});

test('of more than 100 names at one place, none is shown, whichever object has them', () => {
  const plant = { name: 'Fern', added: '2026-01-31', at: byId(120, 1) };

  expect(
    rows({ before: 1, plants: byId(150, plant) }, { plants: byId(3, { ...plant, name: null }) }),
  ).toEqual([
    ' 2/2 object',
    '/before 1/2 integer',
    '/plants 2/2 object',
    '/plants/{} 153/2 object',
    '/plants/{}/name 153/153 string null',
    '/plants/{}/added 153/153 string date',
    '/plants/{}/at 153/153 object',
    '/plants/{}/at/{} 18360/153 integer',
  ]);
});

test('names of JavaScript are names, and what is deep or wide is limited', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });
  const wide = (depth: number): unknown =>
    depth === 0
      ? 1
      : Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`n${index}`, wide(depth - 1)]));

  expect(rows(JSON.parse('{"__proto__":1,"constructor":1}')).slice(1)).toEqual([
    '/__proto__ 1/1 integer',
    '/constructor 1/1 integer',
  ]);
  expect(rows(nested(20))).toHaveLength(9);
  expect(rows(wide(2))).toHaveLength(500);
});

test.each<[name: string, content: string, contents: object]>([
  ['text', 'plain', { json: 0, other: 1 }],
  ['a byte order mark', '\ufeff{}', { json: 0, other: 1 }],
  ['more than 1 MiB', `"${'a'.repeat(1_048_576)}"`, { json: 0, unread: 1 }],
  ['deep lists that are no JSON', '['.repeat(500_000), { json: 0, other: 1 }],
])('%s is counted, and not looked at', (_name, content, contents) => {
  expect(evidenceOf(delivery(content))).toMatchObject({ contents, fields: [] });
});

test('no value of a header field or of a content is shown, and no line is wider than 80 columns', () => {
  const found = evidenceOf(
    json({ id: CANARY, at: `${CANARY}@plants.example`, list: [CANARY, [CANARY]], number: NUMBER }),
    json({
      [`${CANARY}@plants.example`]: 1,
      [`https://plants.example/${CANARY}`]: 1,
      [CANARY.repeat(11)]: 1,
    }),
    json({ byId: byId(3_000, { [CANARY.slice(0, 3)]: CANARY }) }),
    json(CANARY),
    delivery(CANARY, { mediaType: `text/plain; charset=${CANARY}` }),
    delivery(CANARY, { mediaType: `text/${CANARY.repeat(20)}` }),
    delivery(CANARY, { mediaType: CANARY, method: CANARY }),
    delivery(gzipSync(CANARY), { contentEncoding: 'gzip' }),
    delivery(CANARY, { contentEncoding: CANARY }),
    delivery(CANARY, {
      fields: [
        ['X-Any', CANARY],
        ['Cookie', CANARY],
        [CANARY.repeat(11), CANARY],
      ],
    }),
  );
  const text = evidenceText(new Terminal(new InnerProcess()), found);

  expect(found.deliveries).toBe(10);
  for (const shown of [JSON.stringify(found), text]) {
    expect(shown.toLowerCase()).not.toContain(CANARY);
    expect(shown).not.toContain(String(NUMBER));
  }
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
