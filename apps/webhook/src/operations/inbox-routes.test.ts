import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { ask, post, type Told } from '../../test/ask.js';
import { dropTable } from '../../test/damage-inbox.js';
import { startListener } from '../../test/start-listener.js';
import type { AttemptResult, Inbox } from '../inbox/inbox.js';
import { openSqliteInbox } from '../inbox/sqlite-inbox.js';
import { inboxRoutes } from './inbox-routes.js';

const RECEIVER = { startedAt: 1, inbox: '/arbitrary' };

/** Every byte, in base64 that has + and / and =. */
const CONTENT = Buffer.from(Array.from({ length: 256 }, (_, byte) => 255 - byte));

interface Started {
  readonly url: string;
  readonly inbox: Inbox;
  readonly wakes: () => number;
  readonly get: (path: string) => Promise<Told>;
  readonly change: (path: string, content: unknown) => Promise<Told>;
}

/** Serves an inbox with a delivery for each result; undefined leaves it waiting. */
async function start(results: readonly (AttemptResult | undefined)[] = []): Promise<Started> {
  const inbox = openSqliteInbox(makeFolder());
  afterThisTest(() => inbox.close());
  for (const result of results) {
    await inbox.accept({
      method: 'POST',
      mediaType: 'text/plain',
      contentEncoding: null,
      eventId: null,
      fields: [['X-Arbitrary', 'a']],
      content: CONTENT,
    });
    if (result !== undefined) await inbox.settle((await inbox.claim(1)).deliveries[0]!, result);
  }
  let count = 0;
  const { url } = await startListener(inboxRoutes(inbox, RECEIVER, () => (count += 1)));
  return {
    url,
    inbox,
    wakes: () => count,
    get: (path) => ask(url, path),
    change: (path, content) => ask(url, post(path, content)),
  };
}

const HANDLED: AttemptResult = { kind: 'handled' };
const PARKED: AttemptResult = { kind: 'parked', error: 'no more' };
const FAILED: AttemptResult = { kind: 'failed', error: 'not yet', retryAfter: 3_600_000 };

const idsIn = ({ json }: Told): number[] =>
  (json as { deliveries: { id: number }[] }).deliveries.map(({ id }) => id);

const statesIn = ({ json }: Told): string[] =>
  (json as { deliveries: { state: string }[] }).deliveries.map(({ state }) => state);

const SUMMARY = {
  id: 2,
  state: 'parked',
  receivedAt: expect.any(Number),
  failures: 1,
  error: 'no more',
  dueAt: null,
  eventId: null,
  method: 'POST',
  mediaType: 'text/plain',
  contentEncoding: null,
  bytes: 256,
  reason: null,
};

describe('GET /deliveries', () => {
  test('lists summaries, the newest first', async () => {
    const { get } = await start([HANDLED, PARKED, FAILED, undefined]);
    const told = await get('/deliveries');

    expect(told.status).toBe(200);
    expect(idsIn(told)).toEqual([4, 3, 2, 1]);
    expect(statesIn(told)).toEqual(['waiting', 'waiting', 'parked', 'handled']);
    expect((told.json as { deliveries: unknown[] }).deliveries[2]).toEqual(SUMMARY);
  });

  test.each([
    ['state=parked', [2]],
    ['state=waiting&order=oldest', [3, 4]],
    ['firstId=2&lastId=3', [3, 2]],
    ['limit=2', [4, 3]],
    ['limit=2&after=3', [2, 1]],
    ['limit=2&order=oldest&after=3', [4]],
    ['receivedFrom=2000-01-01', [4, 3, 2, 1]],
    ['receivedBefore=2000-01-01', []],
  ])('?%s', async (query, want) => {
    const { get } = await start([HANDLED, PARKED, FAILED, undefined]);

    expect(idsIn(await get(`/deliveries?${query}`))).toEqual(want);
  });

  test('names what is wrong with a query', async () => {
    const { get } = await start();
    const { status, json } = await get('/deliveries?limit=501&states=parked');

    expect([status, json]).toEqual([
      400,
      {
        code: 'INVALID_QUERY',
        message: 'The query is wrong: limit must be a whole number from 1 to 500; states is not known.',
      },
    ]);
  });
});

describe('GET /deliveries/ID', () => {
  test('shows what was sent', async () => {
    const { get } = await start([HANDLED, PARKED]);

    expect((await get('/deliveries/2')).json).toEqual({
      ...SUMMARY,
      fields: [['X-Arbitrary', 'a']],
      content: CONTENT.toString('base64'),
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
    ['/deliveries/2', 'UNKNOWN_DELIVERY'],
    ['/deliveries/2/content', 'UNKNOWN_DELIVERY'],
    ['/deliveries/9007199254740993', 'UNKNOWN_DELIVERY'],
    ['/deliveries/99999999999999999999', 'UNKNOWN_DELIVERY'],
    ['/deliveries/0', 'UNKNOWN_PATH'],
    ['/deliveries/01', 'UNKNOWN_PATH'],
    ['/deliveries/-1', 'UNKNOWN_PATH'],
    ['/deliveries/1.0', 'UNKNOWN_PATH'],
    ['/deliveries/1/', 'UNKNOWN_PATH'],
    ['/deliveries/', 'UNKNOWN_PATH'],
  ])('%s: %s', async (path, code) => {
    const { get } = await start([HANDLED]);
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
    fields: [['X-Arbitrary', 'a']],
    content: CONTENT.toString('base64'),
  });
  expect([idsIn(second), (second.json as { next: unknown }).next]).toEqual([[], null]);
});

test('POST /deliveries/replay passes deliveries to the handler again, and wakes it', async () => {
  const { inbox, change, get, wakes } = await start([HANDLED, PARKED, PARKED]);

  const told = await change('/deliveries/replay', { filter: { state: 'parked', lastId: 2 } });

  expect([told.status, told.json]).toEqual([200, { changed: 1, next: null }]);
  expect(wakes()).toBe(1);
  expect(idsIn(await get('/deliveries?state=parked'))).toEqual([3]);
  expect((await inbox.claim(10)).deliveries.map(({ id }) => id)).toEqual([2]);
});

test('POST /deliveries/replay in parts', async () => {
  const { change } = await start([PARKED, PARKED, PARKED]);
  const part = { filter: { state: 'parked' }, limit: 2 };

  const first = await change('/deliveries/replay', part);
  expect(first.json).toEqual({ changed: 2, next: 2 });
  const second = await change('/deliveries/replay', { ...part, after: 2 });
  expect(second.json).toEqual({ changed: 1, next: null });
});

test('POST /deliveries/discard deletes what parked deliveries sent, and keeps why', async () => {
  const { change, get, wakes } = await start([HANDLED, PARKED]);

  const told = await change('/deliveries/discard', { filter: {}, reason: 'a test' });

  expect([told.status, told.json]).toEqual([200, { changed: 1, next: null }]);
  expect((await get('/deliveries/2')).json).toMatchObject({
    state: 'discarded',
    reason: 'a test',
    content: '',
  });
  expect((await get('/deliveries/1')).json).toMatchObject({ state: 'handled', bytes: 256 });
  expect(wakes()).toBe(0);
});

test('POST /handler/pause and /handler/resume', async () => {
  const { inbox, change, get, wakes } = await start([undefined]);

  const paused = await change('/handler/pause', {});
  expect([paused.status, paused.content]).toEqual([204, '']);
  expect((await get('/stats')).json).toMatchObject({ isPaused: true });
  expect((await inbox.claim(1)).deliveries).toEqual([]);
  expect(wakes()).toBe(0);

  expect((await change('/handler/resume', {})).status).toBe(204);
  expect((await get('/stats')).json).toMatchObject({ isPaused: false });
  expect(wakes()).toBe(1);
  expect((await inbox.claim(1)).deliveries).toHaveLength(1);
});

test('GET /stats', async () => {
  const { get } = await start([HANDLED, PARKED, FAILED, undefined]);

  expect((await get('/stats')).json).toEqual({
    waiting: 2,
    handled: 1,
    parked: 1,
    discarded: 0,
    oldestWaitingAt: expect.any(Number),
    bytes: expect.any(Number),
    isPaused: false,
    receiver: RECEIVER,
  });
});

test.each([
  ['GET', '/deliveries/replay'],
  ['GET', '/deliveries/discard'],
  ['GET', '/handler/pause'],
  ['GET', '/handler/resume'],
  ['HEAD', '/handler/pause'],
  ['DELETE', '/deliveries/1'],
  ['POST', '/deliveries/1'],
  ['POST', '/deliveries'],
  ['POST', '/stats'],
])('%s %s: 405, and nothing changes', async (method, path) => {
  const { url, get, wakes } = await start([PARKED]);
  const asked = method === 'POST' ? post(path, { filter: {} }) : { method, path };
  const { status, fields } = await ask(url, asked);

  expect(status).toBe(405);
  expect(fields.allow).toBe(method === 'POST' || method === 'DELETE' ? 'GET, HEAD' : 'POST');
  expect(statesIn(await get('/deliveries'))).toEqual(['parked']);
  expect(wakes()).toBe(0);
});

test.each([
  ['/deliveries/replay', {}],
  ['/deliveries/replay', { filter: {}, reason: 'a' }],
  ['/deliveries/discard', { filter: {} }],
  ['/handler/pause', { until: 1 }],
  ['/deliveries/replay?state=parked', { filter: {} }],
  ['/handler/pause?a=1', {}],
])('POST %s %j: 400, and nothing changes', async (path, content) => {
  const { change, get } = await start([PARKED]);

  expect((await change(path, content)).status).toBe(400);
  expect(statesIn(await get('/deliveries'))).toEqual(['parked']);
  expect((await get('/stats')).json).toMatchObject({ isPaused: false });
});

test.each(['/deliveries', '/deliveries/1', '/deliveries/1/content', '/deliveries/batch', '/stats'])(
  'an inbox that cannot be read: GET %s gets 503 with the reason',
  async (path) => {
    const { inbox, get } = await start([HANDLED]);
    dropTable(inbox.location, 'parked');
    const { status, json } = await get(path);

    expect([status, json]).toEqual([
      503,
      { code: 'INBOX_UNUSABLE', message: expect.stringContaining('no such table: parked') },
    ]);
  },
);

test('an inbox that cannot be written: a change gets 503 with the reason', async () => {
  const { inbox, change } = await start([PARKED]);
  dropTable(inbox.location, 'backlog');
  const { status, json } = await change('/deliveries/replay', { filter: {} });

  expect([status, json]).toEqual([
    503,
    { code: 'INBOX_WRITE_FAILED', message: expect.stringContaining('no such table') },
  ]);
});
