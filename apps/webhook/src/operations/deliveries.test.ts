import { afterThisFile, afterThisTest, type CleanUp, makeFolder } from '@plant-store/test-support';

import type { FastifyInstance } from 'fastify';

import { ask, post, type Told } from '../../test/ask.js';
import { dropTable } from '../../test/drop-table.js';
import fc from '../../test/fast-check.js';
import { Claims, failed, HANDLED, incoming, openEmbedded, PARKED } from '../../test/open-inbox.js';
import { type LogRecord, recordLog } from '../../test/record-log.js';
import { startListener } from '../../test/start-listener.js';
import type { AttemptResult } from '../inbox/delivery.js';
import type { Inbox } from '../inbox/inbox.js';
import { DELIVERY_STATES } from '../inbox/inbox-operations.js';
import { deliveryRoutes } from './deliveries.js';

const RECEIVER = { name: 'production', startedAt: 1, inbox: '/arbitrary', url: null };

/** Every byte, in base64 that has + and / and =. */
const CONTENT = Buffer.from(Array.from({ length: 256 }, (_, byte) => 255 - byte));

interface Started {
  readonly url: string;
  readonly inbox: Inbox;
  readonly claims: Claims;
  readonly log: LogRecord;
  readonly get: (path: string) => Promise<Told>;
  readonly change: (path: string, content: unknown) => Promise<Told>;
}

/** Serves an inbox with a delivery for each result; undefined leaves it waiting. */
async function start(
  results: readonly (AttemptResult | undefined)[] = [],
  cleanUp: CleanUp = afterThisTest,
): Promise<Started> {
  const log = recordLog();
  const inbox = await openEmbedded(makeFolder(cleanUp), cleanUp, { logger: log.logger });
  const claims = Claims.begin(inbox);
  for (const result of results) {
    await inbox.accept(incoming(CONTENT, { fields: [['X-Arbitrary', 'a']] }));
    if (result !== undefined) await claims.settle(result);
  }
  const receiver = { facts: RECEIVER, operatorHeader: 'X-Forwarded-User' };
  const addRoutes = (app: FastifyInstance): void => deliveryRoutes(app, inbox.operations, receiver);
  const { url } = await startListener(addRoutes, {}, cleanUp);
  return {
    url,
    log,
    inbox,
    claims,
    get: (path) => ask(url, path),
    change: (path, content) => ask(url, post(path, content)),
  };
}

const FAILED = failed(3_600_000);

/** For tests that change nothing: one is handled, one parked, one retrying, and one waits. */
let shared: Promise<Started> | undefined;
const oneOfEach = (): Promise<Started> =>
  (shared ??= start([HANDLED, PARKED, FAILED, undefined], afterThisFile));

const idsIn = ({ json }: Told): number[] =>
  (json as { deliveries: { id: number }[] }).deliveries.map(({ id }) => id);

const statesIn = ({ json }: Told): string[] =>
  (json as { deliveries: { state: string }[] }).deliveries.map(({ state }) => state);

const SUMMARY = {
  id: 2,
  state: 'parked',
  receivedAt: expect.any(Number),
  startedAt: expect.any(Number),
  endedAt: expect.any(Number),
  replayedAt: null,
  attempts: 1,
  error: 'no more',
  dueAt: null,
  eventId: null,
  method: 'POST',
  mediaType: 'text/plain',
  contentEncoding: null,
  bytes: 256,
  reason: null,
};
const LISTED = { ...SUMMARY, preview: null };

describe('GET /deliveries', () => {
  test('lists summaries, the newest first', async () => {
    const { get } = await oneOfEach();
    const told = await get('/deliveries');

    expect(told.status).toBe(200);
    expect(idsIn(told)).toEqual([4, 3, 2, 1]);
    expect(statesIn(told)).toEqual(['waiting', 'retrying', 'parked', 'handled']);
    expect((told.json as { deliveries: unknown[] }).deliveries[2]).toEqual(LISTED);
  });

  test.each([
    ['state=parked', [2]],
    ['state=retrying', [3]],
    ['state=parked&state=handled', [2, 1]],
    ['firstId=3&order=oldest', [3, 4]],
    ['errorGroup=no%20more', [2]],
    ['firstId=2&lastId=3', [3, 2]],
    ['ids=2', [2]],
    ['ids=1&ids=4', [4, 1]],
    ['limit=2', [4, 3]],
    ['limit=2&after=3', [2, 1]],
    ['limit=2&order=oldest&after=3', [4]],
    ['receivedFrom=2000-01-01', [4, 3, 2, 1]],
    ['receivedBefore=2000-01-01', []],
    ['receivedFrom=2000-01-01T00:00&receivedBefore=253402300799999', [4, 3, 2, 1]],
    ['receivedFrom=2000-01-01T00:00:00%2B01:00&receivedBefore=4102444800000', [4, 3, 2, 1]],
  ])('?%s', async (query, want) => {
    const { get } = await oneOfEach();

    expect(idsIn(await get(`/deliveries?${query}`))).toEqual(want);
  });
});

test.each([
  ['state=lost', 'state must be one of waiting, running, retrying, '],
  ['state=parked&state=lost', 'state must be one of'],
  ['limit=0', 'limit must be a whole number from 1 to 500.'],
  ['after=0', 'after must be a whole number from 1 to 9,007,199,254,740,991.'],
  ['ids=1&ids=a', 'ids.1 must be a whole number from 1 to'],
  ['order=random', 'order must be one of newest, oldest.'],
  ['receivedBefore=253402300800000', 'receivedBefore must be a time, in milliseconds since 1970 or in ISO'],
  ['receivedFrom=yesterday', 'receivedFrom must be a time'],
  ['receivedFrom=2026-01-31T12:00:00%2B02', 'receivedFrom must be a time'],
  ['receivedBefore=2016-12-31T23:59:60Z', 'receivedBefore must be a time'],
  ['receivedFrom=2026-02-30', 'receivedFrom must be a time'],
  ['receivedFrom=1&receivedFrom=2', 'receivedFrom must be a time'],
  ['arbitrary=1', 'arbitrary is unknown here.'],
  ['__proto__=1', '__proto__ is unknown here.'],
  ['limit=a&c=d', 'limit must be a whole number from 1 to 500. c is unknown here.'],
])('GET /deliveries?%s: 400, %s', async (query, message) => {
  const { get } = await oneOfEach();
  const { status, json } = await get(`/deliveries?${query}`);

  expect([status, json]).toEqual([400, { code: 'INVALID_QUERY', message: expect.stringContaining(message) }]);
});

/** Texts that some parser of numbers takes, and that mean no id, no limit and no time. */
const NO_NUMBERS = [
  ...[
    '',
    ' 5 ',
    '+5',
    '-0',
    '-1',
    '05',
    '1.0',
    '1.5',
    '5.',
    '1e3',
    '1e400',
    '-1e400',
    '0x10',
    '0b1',
    '1_000',
    '1n',
  ],
  ...[
    'Infinity',
    'NaN',
    'null',
    'true',
    '[5]',
    '5,6',
    '5;',
    '٥',
    '５',
    '5\0',
    '9007199254740993',
    '9'.repeat(400),
  ],
];

test.each(NO_NUMBERS)('a number %j of a query: 400', async (number) => {
  const { get } = await oneOfEach();

  for (const [path, names] of [
    ['/deliveries', ['limit', 'after', 'ids', 'firstId', 'lastId', 'receivedFrom', 'receivedBefore']],
    ['/deliveries/count', ['ids', 'firstId', 'lastId', 'receivedFrom', 'receivedBefore']],
    ['/deliveries/search', ['limit', 'after']],
    ['/deliveries/batch', ['limit', 'after']],
    ['/acts', ['limit', 'after']],
  ] as const)
    for (const name of names) {
      const query = new URLSearchParams({ ...(path.endsWith('search') && { text: 'a' }), [name]: number });
      for (const more of ['', `&${name}=1`]) {
        const { status, json } = await get(`${path}?${query.toString()}${more}`);
        expect([path, name, status, json]).toEqual([
          ...[path, name, 400],
          {
            code: 'INVALID_QUERY',
            message: expect.stringContaining(`${name === 'ids' ? 'ids.0' : name} must be`),
          },
        ]);
      }
    }
});

test.each([
  '1e400',
  '-1e400',
  '-0',
  '1.5',
  '-1',
  '9007199254740993',
  '"5"',
  '" 5 "',
  'true',
  'null',
  '[5]',
  '{}',
  '""',
])('a number %s of a content: 400, and nothing changes', async (number) => {
  const { url, get } = await oneOfEach();
  const before = await get('/deliveries');

  for (const content of [
    ...['firstId', 'lastId', 'receivedFrom', 'receivedBefore'].map(
      (name) => `{"kind":"replay","filter":{"${name}":${number}}}`,
    ),
    `{"kind":"replay","filter":{"ids":[1,${number}]}}`,
  ]) {
    const { status, json } = await ask(url, { ...post('/acts', {}), content });
    expect([content, status, json]).toEqual([
      content,
      400,
      expect.objectContaining({ code: 'INVALID_CONTENT' }),
    ]);
  }
  expect((await get('/deliveries')).json).toEqual(before.json);
  expect((await get('/acts')).json).toEqual({ acts: [] });
});

test('no query is a failure of the receiver', async () => {
  const { get } = await oneOfEach();
  const names = ['state', 'errorGroup', 'ids', 'firstId', 'lastId', 'receivedFrom', 'receivedBefore'];
  const path = fc.constantFrom(
    ...['/deliveries', '/deliveries/count', '/deliveries/search', '/deliveries/batch', '/acts'],
    ...['/errors', '/stats', '/deliveries/1', '/deliveries/1/content', '/acts/1'],
  );
  const value = fc.oneof(
    fc.constantFrom(
      ...NO_NUMBERS,
      ...DELIVERY_STATES,
      'newest',
      'oldest',
      '%',
      "'",
      '$1',
      '?1',
      '\0',
      'é',
      '\u{1f33f}',
    ),
    fc.maxSafeNat().map(String),
    fc.double().map(String),
    fc.string(),
    fc.constantFrom('0', '1', '9007199254740991', '253402300799999', '500').map(String),
  );
  const parameter = fc.tuple(
    fc.constantFrom(...names, 'limit', 'after', 'order', 'text', 'act', '__proto__'),
    value,
  );

  await fc.assert(
    fc.asyncProperty(path, fc.array(parameter, { maxLength: 5 }), async (path, parameters) => {
      const query = new URLSearchParams(parameters).toString();
      expect([200, 400, 404]).toContain((await get(`${path}?${query}`)).status);
    }),
    { numRuns: 300 },
  );
});

test('GET /deliveries/search has what contains a text, and says whether it has searched everything', async () => {
  const { get } = await start([HANDLED, PARKED, PARKED]);
  const part = await get('/deliveries/search?text=no%20more&limit=1');

  expect([part.status, part.json]).toEqual([
    200,
    { deliveries: [{ ...LISTED, id: 3 }], next: 3, complete: false },
  ]);
  expect((await get('/deliveries/search?text=no%20more&after=3')).json).toEqual({
    deliveries: [LISTED],
    next: null,
    complete: true,
  });
  expect(idsIn(await get('/deliveries/search?text=X-Arbitrary&state=handled'))).toEqual([1]);
  expect((await get('/deliveries/search')).status).toBe(400);
});

test('GET /errors groups what is parked or retrying by its error', async () => {
  const { get } = await start([HANDLED, PARKED, PARKED, FAILED, undefined]);
  const times = { firstAt: expect.any(Number), lastAt: expect.any(Number) };

  expect((await get('/errors')).json).toEqual({
    groups: [
      { group: 'no more', message: 'no more', parked: 2, retrying: 0, ...times },
      { group: 'not yet', message: 'not yet', parked: 0, retrying: 1, ...times },
    ],
    complete: true,
  });
});

test('GET /deliveries/count counts what a filter has, by state', async () => {
  const { get } = await start([HANDLED, PARKED, PARKED, FAILED, undefined]);

  expect((await get('/deliveries/count?firstId=3')).json).toEqual({
    waiting: 1,
    running: 0,
    retrying: 1,
    handled: 0,
    parked: 1,
    discarded: 0,
  });
  expect((await get('/deliveries/count?limit=1')).status).toBe(400);
});

describe('GET /deliveries/ID', () => {
  test('shows what was sent, and the attempts that failed', async () => {
    const { get } = await start([HANDLED, PARKED]);

    expect((await get('/deliveries/2')).json).toEqual({
      ...SUMMARY,
      key: expect.any(String),
      fields: [['X-Arbitrary', 'a']],
      content: CONTENT.toString('base64'),
      history: [expect.objectContaining({ number: 1, error: 'no more', stack: null })],
      act: null,
    });
  });

  test('/content has the bytes, which no browser shows', async () => {
    const { url } = await start([HANDLED]);
    const response = await fetch(new URL('/deliveries/1/content', url));

    expect(Buffer.from(await response.arrayBuffer())).toEqual(CONTENT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="delivery-1"',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([
    ['/deliveries/5', 'UNKNOWN_DELIVERY'],
    ['/deliveries/5/content', 'UNKNOWN_DELIVERY'],
    ['/deliveries/9007199254740993', 'UNKNOWN_DELIVERY'],
    ['/deliveries/99999999999999999999', 'UNKNOWN_DELIVERY'],
    [`/deliveries/${'9'.repeat(200)}`, 'UNKNOWN_PATH'],
    ['/deliveries/0', 'UNKNOWN_PATH'],
    ['/deliveries/01', 'UNKNOWN_PATH'],
    ['/deliveries/-1', 'UNKNOWN_PATH'],
    ['/deliveries/1.0', 'UNKNOWN_PATH'],
    ['/deliveries/1/', 'UNKNOWN_PATH'],
    ['/deliveries/', 'UNKNOWN_PATH'],
  ])('%s: %s', async (path, code) => {
    const { get } = await oneOfEach();
    const { status, json } = await get(path);

    expect([status, json]).toEqual([404, { code, message: expect.any(String) }]);
  });
});

test('GET /deliveries/batch has everything, in parts', async () => {
  const { get } = await start([HANDLED, PARKED, PARKED]);
  const first = await get('/deliveries/batch?state=parked&limit=2');
  const { next } = first.json as { next: number };
  const second = await get(`/deliveries/batch?state=parked&limit=2&after=${next}`);

  expect(idsIn(first)).toEqual([2, 3]);
  expect((first.json as { deliveries: unknown[] }).deliveries[0]).toEqual({
    ...SUMMARY,
    key: expect.any(String),
    fields: [['X-Arbitrary', 'a']],
    content: CONTENT.toString('base64'),
  });
  expect([idsIn(second), (second.json as { next: unknown }).next]).toEqual([[], null]);
});

test('POST /acts passes deliveries to the handler again', async () => {
  const { claims, change, get } = await start([HANDLED, PARKED, PARKED]);

  const told = await change('/acts', { kind: 'replay', filter: { lastId: 2 } });

  expect([told.status, told.json]).toMatchObject([200, { id: 1, selected: 1, changed: 1, waiting: 1 }]);
  expect(idsIn(await get('/deliveries?state=parked'))).toEqual([3]);
  expect((await claims.claim()).map(({ id }) => id)).toEqual([2]);
});

test('POST /acts deletes what parked deliveries sent, and keeps why', async () => {
  const { change, get } = await start([HANDLED, PARKED]);

  const told = await change('/acts', { kind: 'discard', filter: {}, reason: 'a test' });

  expect([told.status, told.json]).toMatchObject([200, { id: 1, changed: 1, waiting: 0 }]);
  expect((await get('/deliveries/2')).json).toMatchObject({
    state: 'discarded',
    reason: 'a test',
    content: '',
  });
  expect((await get('/deliveries/1')).json).toMatchObject({ state: 'handled', bytes: 256 });
});

test('POST /handler/pause and /handler/resume', async () => {
  const { claims, change, get } = await start([undefined]);

  const paused = await change('/handler/pause', {});
  expect([paused.status, paused.content]).toEqual([204, '']);
  expect((await get('/stats')).json).toMatchObject({ isPaused: true });
  expect(await claims.claim(1)).toEqual([]);

  expect((await change('/handler/resume', {})).status).toBe(204);
  expect((await get('/stats')).json).toMatchObject({ isPaused: false });
  expect(await claims.claim(1)).toHaveLength(1);
});

describe('an act', () => {
  const act = { kind: 'replay', operator: 'ada@example', source: '127.0.0.1', reason: 'it is back' };
  const { operator, reason } = act;

  test('is in /acts, of its delivery, and in the log', async () => {
    const { change, get, log } = await start([PARKED, PARKED, PARKED]);
    const filter = { state: 'parked', lastId: 3 };
    const told = await change('/acts', { kind: 'replay', filter, operator, reason });

    const all = { ...act, id: 1, filter, selected: 3, changed: 3, waiting: 3, endedAt: expect.any(Number) };
    expect(told.json).toMatchObject(all);
    expect((await get('/acts')).json).toMatchObject({ acts: [all] });
    expect((await get('/acts/1')).json).toEqual(told.json);
    expect((await get('/deliveries/3')).json).toMatchObject({ act: all });
    expect((await get('/acts/7')).json).toEqual({ code: 'UNKNOWN_ACT', message: 'There is no act 7.' });
    expect(await log.line('an operator replayed deliveries')).toMatchObject({
      ...{ act: 1, level: 'info', filter, changed: 3, operator, reason, source: act.source },
    });
    expect(log.lines).toHaveLength(1);
  });

  test('without a name is of nobody, and adds to no other', async () => {
    const { change, get } = await start([PARKED, PARKED]);
    await change('/acts', { kind: 'replay', filter: { ids: [1] }, operator });
    await change('/acts', { kind: 'replay', filter: { ids: [2] } });

    expect((await get('/acts')).json).toMatchObject({
      acts: [
        { id: 2, operator: null, changed: 1 },
        { id: 1, operator, changed: 1 },
      ],
    });
  });

  test('is of whom the proxy names, whatever is sent', async () => {
    const { url, get, log } = await start();
    await ask(url, post('/handler/pause', { operator, reason }, { 'x-forwarded-user': 'Gr\u00e4fin' }));

    expect((await get('/acts')).json).toMatchObject({
      acts: [{ kind: 'pause', operator: 'Gr\u00e4fin', reason }],
    });
    expect(await log.line('an operator paused the handler')).toMatchObject({ operator: 'Gr\u00e4fin' });
  });
});

test('GET /stats', async () => {
  const { get } = await oneOfEach();

  expect((await get('/stats')).json).toEqual({
    waiting: 1,
    running: 0,
    retrying: 1,
    handled: 1,
    parked: 1,
    discarded: 0,
    oldestWaitingAt: expect.any(Number),
    nextRetryAt: expect.any(Number),
    now: expect.any(Number),
    bytes: expect.any(Number),
    isPaused: false,
    receiver: { ...RECEIVER, operator: null },
  });
});

test.each(['/handler/pause', '/handler/resume'])('GET %s: 405', async (path) => {
  const { status, fields } = await (await oneOfEach()).get(path);

  expect([status, fields.allow]).toEqual([405, 'POST']);
});

test.each<[string, unknown, string]>([
  ['/acts', { kind: 'replay' }, 'filter is missing.'],
  ['/acts', [], 'The content must be a JSON object.'],
  ['/acts', { filter: {} }, 'kind must be one of replay, discard.'],
  ['/acts', { kind: 'pause', filter: {} }, 'kind must be one of replay, discard.'],
  ['/acts', { kind: 'replay', filter: {}, why: 'a' }, 'why is unknown here.'],
  ['/acts', { kind: 'replay', filter: { id: 1 } }, 'filter.id is unknown here.'],
  ['/acts', { kind: 'replay', filter: { ids: [] } }, 'filter.ids must be a list of 1 to 500 ids.'],
  [
    '/acts',
    { kind: 'replay', filter: { state: 'waiting' } },
    'filter.state must be one of parked, retrying,',
  ],
  [
    '/acts',
    { kind: 'discard', filter: { state: ['parked', 'handled'] } },
    'filter.state must be one of parked',
  ],
  [
    '/acts',
    { kind: 'replay', filter: { receivedBefore: '2026-02-30' } },
    'filter.receivedBefore must be a time',
  ],
  ['/acts?state=parked', { kind: 'replay', filter: {} }, 'state is unknown here.'],
  ['/acts', { kind: 'discard', filter: {} }, 'reason is missing.'],
  ['/acts', { kind: 'discard', filter: {}, reason: ' ' }, 'reason must not be blank.'],
  [
    '/acts',
    { kind: 'discard', filter: {}, reason: 'a'.repeat(1_001) },
    'reason must be one text of at most 1,000 characters.',
  ],
  ['/handler/pause', { until: 1 }, 'until is unknown here.'],
])('POST %s %j: 400, %s, and nothing changes', async (path, content, message) => {
  const { change, get } = await oneOfEach();
  const before = await get('/deliveries');
  const { status, json } = await change(path, content);

  expect([status, (json as Error).message]).toEqual([400, expect.stringContaining(message)]);
  expect((await get('/deliveries')).json).toEqual(before.json);
  expect((await get('/stats')).json).toMatchObject({ isPaused: false });
});

test('an inbox that can be neither read nor written: 503 with the reason', async () => {
  const { inbox, get, change } = await start([PARKED]);
  dropTable(inbox.location, 'delivery');
  const message = expect.stringContaining('no such table: delivery') as string;

  for (const path of [
    ...['/deliveries', '/deliveries/1', '/deliveries/1/content', '/deliveries/batch'],
    '/stats',
  ]) {
    const { status, json } = await get(path);
    expect([path, status, json]).toEqual([path, 503, { code: 'INBOX_UNUSABLE', message }]);
  }
  expect(await change('/acts', { kind: 'replay', filter: {} })).toMatchObject({
    status: 503,
    json: { code: 'INBOX_UNUSABLE', message: expect.stringContaining('no such table') as string },
  });
});
