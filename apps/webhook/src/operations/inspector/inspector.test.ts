import { makeFolder } from '@plant-store/test-support';

import fc from '../../../test/fast-check.js';
import { ask, type Asked, type Told } from '../../../test/ask.js';
import { Claims, failed, HANDLED, incoming, openEmbedded, PARKED } from '../../../test/open-inbox.js';
import { startListener } from '../../../test/start-listener.js';
import { Counters } from '../../counters.js';
import type { AttemptResult, IncomingDelivery } from '../../inbox/delivery.js';
import type { Operations } from '../../inbox/operations.js';
import { Activity } from '../activity.js';
import { PAGE_QUERY } from '../parameters.js';
import { inspectorRoutes } from './routes.js';

const parked = (error: string): AttemptResult => ({ ...PARKED, error });

const START = Date.UTC(2026, 0, 31, 12);
const URL_OF_DELIVERIES = 'http://127.0.0.1:3000/plant/webhook';

interface Started {
  readonly url: string;
  readonly inbox: Operations;
  readonly counters: Counters;
  readonly claims: Claims;
  /** Stores a delivery, and what becomes of it. */
  readonly deliver: (
    content: string,
    result?: AttemptResult,
    sent?: Partial<IncomingDelivery>,
  ) => Promise<number>;
  readonly get: (query?: string, fields?: Record<string, string>) => Promise<string>;
  readonly send: (content: Record<string, string>, fields?: Record<string, string>) => Promise<Told>;
}

async function start(): Promise<Started> {
  const inbox = await openEmbedded(makeFolder());
  const claims = Claims.begin(inbox);
  const counters = new Counters();
  const activity = new Activity(counters, () => inbox.operations.stats());
  const facts = { name: 'greenhouse', startedAt: START, inbox: '/arbitrary', url: URL_OF_DELIVERIES };
  const { url } = await startListener((app) =>
    inspectorRoutes(app, inbox.operations, activity, { facts, operatorHeader: 'X-Forwarded-User' }),
  );
  const origin = new URL(url).origin;
  return {
    url,
    inbox: inbox.operations,
    counters,
    claims,
    deliver: async (content, result, sent) => {
      const id = await inbox.accept(incoming(Buffer.from(content), sent));
      if (result !== undefined) await claims.settle(result);
      return id;
    },
    get: async (query = '', fields = {}) => (await ask(url, { path: `/${query}`, fields })).content,
    send: (content, fields = {}) => ask(url, form(content, { origin, ...fields })),
  };
}

const form = (content: Record<string, string>, fields: Record<string, string>): Asked => ({
  method: 'POST',
  path: '/',
  fields: { 'content-type': 'application/x-www-form-urlencoded', ...fields },
  content: new URLSearchParams(content).toString(),
});

/** What somebody reads of a page, or of a part of it. */
const textOf = (html: string): string =>
  html
    // eslint-disable-next-line regexp/no-super-linear-move -- Pages are short.
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

/** The values of the fields of the question. */
const fieldsOf = (html: string): Record<string, string> => {
  const [dialog = ''] = /<dialog.*<\/dialog>/s.exec(html) ?? [];
  return Object.fromEntries(
    [...dialog.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      textOf(value!).trim(),
    ]),
  );
};

test('shows the deliveries, and one of them, without a script', async () => {
  const { deliver, get } = await start();
  await deliver('{"name":"Zamioculcas"}', HANDLED);
  await deliver('of no use', parked('no plant'));

  expect(textOf(await get())).toMatch(
    /all 2 parked 1 .* 2 .* parked 1 of no use no plant .* 1 .* handled 1 {"name"/,
  );
  expect(textOf(await get('?state=parked'))).not.toContain('Zamioculcas');
  expect(textOf(await get('?delivery=2'))).toMatch(
    /What was|received .* attempt 1 .* no plant .* parked after 1 attempt/,
  );
});

test('marks the one state, delivery and page that is shown', async () => {
  const { deliver, get } = await start();
  await deliver('one', parked('no plant'));
  await deliver('two', parked('no plant'));
  const marked = (html: string): string[] =>
    [...html.matchAll(/<a [^>]*aria-current="(\w+)"[^>]*>([^<]*)</g)].map(
      ([, mark, text]) => `${mark!} ${text!}`,
    );
  expect(marked(await get('?state=parked&delivery=2'))).toEqual([
    'page Deliveries',
    'true parked 2',
    'true 2',
    'true Text',
  ]);
  expect(marked(await get('?view=acts'))).toEqual(['page Acts']);
});

test('asks, then does what was asked, and says what came of it', async () => {
  const { inbox, deliver, get, send } = await start();
  for (const content of ['one', 'two', 'three']) await deliver(content, parked('no plant'));
  const question = await get('?state=parked&ask=discard&chosen=1&chosen=3');
  expect(textOf(question)).toContain('Discard 2 selected deliveries (parked)?');

  const { status, fields } = await send({
    ...fieldsOf(question),
    operator: 'ada',
    reason: 'sent by mistake',
  });

  expect([status, fields.location]).toEqual([303, './?state=parked&done=1']);
  expect(await inbox.count({})).toMatchObject({ parked: 1, discarded: 2 });
  expect((await inbox.acts.find(1))!).toMatchObject({
    operator: 'ada',
    source: '127.0.0.1',
    reason: 'sent by mistake',
  });
  expect(textOf(await get('?state=parked&done=1'))).toContain('2 deliveries were discarded.');
  const [cookie] = fields['set-cookie']!;
  expect(await get('?ask=pause', { cookie: cookie!.split(';')[0]! })).toContain(
    'name="operator" maxlength="200" value="ada"',
  );
});

test('a change of all takes no delivery that arrives after the question', async () => {
  const { inbox, deliver, get, send } = await start();
  await deliver('one', parked('no plant'));
  const question = await get('?state=parked&ask=discard');
  await deliver('two', parked('no plant'));

  await send({ ...fieldsOf(question), reason: 'arbitrary' });

  expect(await inbox.count({})).toMatchObject({ parked: 1, discarded: 1 });
});

test('a discard of all takes nothing that was parked since the question', async () => {
  const { inbox, deliver, get, send } = await start();
  await deliver('one', parked('no plant'));
  await deliver('two', failed(3_600_000));
  const question = fieldsOf(await get('?state=parked&ask=discard'));
  await inbox.acts.begin('replay', { ids: [2] }, { operator: null, source: null, reason: null });
  await deliver('three', parked('no plant'));

  expect(await send({ ...question, reason: 'arbitrary' })).toMatchObject({
    status: 409,
    json: { code: 'MORE_THAN_ASKED', message: expect.stringContaining('1 more delivery was parked') },
  });

  expect(await inbox.count({})).toMatchObject({ parked: 2, discarded: 0 });
  const again = fieldsOf(await get('?state=parked&ask=discard'));
  expect((await send({ ...again, reason: 'arbitrary' })).status).toBe(303);
});

test('an act is of who has signed in at a proxy', async () => {
  const { inbox, get, send } = await start();
  const signedIn = { 'x-forwarded-user': 'maria' };
  expect(textOf(await get('?ask=pause', signedIn))).toContain('You: maria');
  await send({ kind: 'pause', operator: 'somebody else' }, signedIn);
  expect((await inbox.acts.find(1))!.operator).toBe('maria');
});

test.each<[string, Record<string, string>, number]>([
  ['a form of another origin', { origin: 'http://strangers.example' }, 403],
  ['a page that hides where it is', { origin: 'null' }, 403],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['another host', { host: 'strangers.example' }, 421],
])('nobody acts by %s', async (_name, fields, status) => {
  const { inbox, send } = await start();
  expect((await send({ kind: 'pause' }, fields)).status).toBe(status);
  expect(await inbox.acts.list({ limit: 1 })).toEqual([]);
});

test('nobody acts by a form whose origin no browser tells', async () => {
  const { url, inbox } = await start();
  expect((await ask(url, form({ kind: 'pause' }, {}))).status).toBe(403);
  expect(await inbox.acts.list({ limit: 1 })).toEqual([]);
  // As behind a proxy that takes `Origin` away.
  expect((await ask(url, form({ kind: 'pause' }, { 'sec-fetch-site': 'same-origin' }))).status).toBe(303);
});

test.each([
  [{ kind: 'handle' }, /kind must be one of replay, discard, pause, resume/],
  [{ kind: 'discard', filter: '{}', reason: ' ' }, /reason must not be blank/],
  [{ kind: 'replay', filter: '{"state":"waiting"}' }, /filter.state must be one of/],
  [{ kind: 'replay', filter: '{' }, /not JSON/],
  [{ kind: 'replay', filter: '{}', back: '?state=none' }, /state must be one of/],
])('a form with %j gets 400', async (content, message) => {
  const { send } = await start();
  expect(await send(content as unknown as Record<string, string>)).toMatchObject({
    status: 400,
    json: { code: 'INVALID_CONTENT', message: expect.stringMatching(message) },
  });
});

test('what is wrong in an address gets 400, and a page that says what', async () => {
  const { url } = await start();
  const { status, content } = await ask(url, { path: '/?state=none', fields: { accept: 'text/html' } });
  expect([status, content]).toEqual([
    400,
    expect.stringContaining('<p>state must be one of waiting, running'),
  ]);
});

test('each address gets a page, or 400', async () => {
  const { url, deliver } = await start();
  await deliver('{"one":1}', parked('no plant'));
  const names = Object.keys(PAGE_QUERY.shape);
  const values = [
    ...[
      '0',
      '1',
      '1,1',
      '-1',
      '1e3',
      '9007199254740991',
      '9007199254740992',
      '253402300799999',
      '8640000000000000',
    ],
    ...[
      '0000-01-01T00:00',
      '2026-13-45T00:00',
      '2026-02-30T00:00',
      '2026-10-25T02:30:60',
      '9999-12-31T23:59:59',
    ],
    ...['parked', 'handled', 'errors', 'acts', 'hex', 'discard', 'resume', '\0', '\u{1f33f}', '%', ' ', ''],
  ];
  const value = fc.oneof(fc.constantFrom(...values), fc.string());
  const parameter = fc.tuple(fc.constantFrom(...names, '__proto__'), value);
  await fc.assert(
    fc.asyncProperty(fc.array(parameter, { maxLength: 4 }), async (parameters) => {
      const { status } = await ask(url, `/?${new URLSearchParams(parameters).toString()}`);
      expect([200, 303, 400]).toContain(status);
    }),
    { numRuns: 300 },
  );
});

test('the acts are shown whatever times they are limited to', async () => {
  const { inbox, deliver, get } = await start();
  await deliver('one', parked('no plant'));
  const origin = { operator: null, source: null, reason: null };
  await inbox.acts.begin('replay', { receivedFrom: 0, receivedBefore: 253_402_300_799_999 }, origin);
  expect(textOf(await get('?view=acts'))).toContain('before 9999-12-31 23:59:59');
});

test('what is given twice counts once', async () => {
  const { deliver, get } = await start();
  for (const content of ['one', 'two']) await deliver(content, parked('no plant'));
  const twice = textOf(await get('?state=parked&state=parked&ask=discard'));
  expect(twice).toContain('Discard 2 parked deliveries');
  expect(textOf(await get('?chosen=1&chosen=1&ask=discard'))).not.toContain('cannot be');
  expect((await get('?rows=2,2')).match(/id="row-2"/g)).toHaveLength(1);
});

test('a list that somebody looks at stays empty, too', async () => {
  const { deliver, get } = await start();
  await deliver('one', parked('no plant'));
  const kept = await get('?state=parked&rows=');
  expect(textOf(kept)).toContain('Show 1 new');
  expect(kept).not.toContain('id="row-1"');
});

test('no text becomes HTML, and the policy lets nothing run but the script', async () => {
  const { url, deliver, get } = await start();
  const hostile = `<img src=x onerror="alert(1)"></pre></title><script>alert(2)</script>\u202e"'&`;
  const field = [`X-<b>"'`, hostile] as const;
  const id = await deliver(hostile, parked(hostile), {
    fields: [field],
    mediaType: hostile,
    eventId: hostile,
  });
  const pages = [
    '',
    `?delivery=${id}`,
    `?delivery=${id}&form=hex`,
    `?text=${encodeURIComponent('<img')}`,
    `?errorGroup=${encodeURIComponent(hostile)}&ask=replay`,
    '?view=errors',
  ];
  for (const page of pages) {
    const html = await get(page);
    const faults = html.match(/<(?:img|b|script(?! type="module" src="inspector\.js"))\b| style=/gi);
    expect([page, faults, /<(?:title|h2|span|code|bdi)[^>]*>[^<]*\u202e/.test(html)]).toEqual([
      page,
      null,
      false,
    ]);
  }
  const { fields } = await ask(url);
  expect(fields['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
});

test('deep and large JSON is shown in part', async () => {
  const { deliver, get } = await start();
  const deep = await deliver(`${'['.repeat(50_000)}${']'.repeat(50_000)}`, HANDLED);
  const wide = await deliver(
    JSON.stringify(Array.from({ length: 9_000 }, (_, number) => ({ number }))),
    HANDLED,
  );
  for (const id of [deep, wide])
    expect(textOf(await get(`?delivery=${id}`))).toContain('This is the start. The download has everything.');
});

test.each([
  ['a long text in JSON', JSON.stringify({ image: 'A'.repeat(1_000_000) })],
  ['many values', `[${'0,'.repeat(500_000)}0]`],
  ['one line', 'x'.repeat(1_000_000)],
  ['what nobody sees', '\u200b'.repeat(300_000)],
  ['control characters', '\u0001'.repeat(1_000_000)],
])('the receiver writes and keeps little for a long content: %s', async (_name, content) => {
  const { deliver, get } = await start();
  const id = await deliver(content, HANDLED);
  for (const form of ['json', 'text', 'hex', 'base64'])
    expect((await get(`?delivery=${id}&form=${form}`)).length).toBeLessThan(600_000);
});

test('a page is made once a second for all, compressed, and of at most 40 kB', async () => {
  const { url, deliver } = await start();
  for (let number = 0; number < 60; number += 1)
    await deliver(JSON.stringify({ number, text: 'arbitrary '.repeat(20) }), parked(`no plant ${number}`));
  const fields = { 'accept-encoding': 'gzip' };
  const responses = await Promise.all([1, 2, 3].map(() => fetch(url, { headers: fields })));
  const texts = await Promise.all(responses.map((response) => response.text()));
  expect(new Set(texts).size).toBe(1);
  expect(responses[0]!.headers.get('content-encoding')).toBe('gzip');
  expect(Number(responses[0]!.headers.get('content-length'))).toBeLessThan(15_000);
});

test('keeps the rows that somebody looks at, and says how many are new', async () => {
  const { deliver, get } = await start();
  for (const content of ['one', 'two']) await deliver(content, parked('no plant'));
  await deliver('three', HANDLED);
  const kept = textOf(await get('?state=parked&rows=2,1'));
  expect(kept).not.toContain('new');
  await deliver('four', parked('no plant'));
  expect(textOf(await get('?rows=2,1,1000'))).toMatch(/Show 2 new .* 2 .* two .* 1 .* one .* 1000 deleted/);
});

test('says since when it counts, and which deliveries are old', async () => {
  const { counters, deliver, get } = await start();
  counters.acknowledged(1);
  await deliver('one', parked('no plant'));
  await deliver('two', failed(3_600_000));
  expect(textOf(await get('', { cookie: 'zone=Europe/Berlin' }))).toMatch(
    /1 received in the last hour .*2 not handled 1 parked, oldest just now · 1 to come, oldest just now/,
  );
});

test('says by whom, since when and why the handler is paused', async () => {
  const { inbox, get } = await start();
  await inbox.setPaused(true, { operator: 'ada', source: null, reason: 'the database moves' });
  expect(textOf(await get('?view=acts'))).toMatch(
    /The handler is paused since \d\d:\d\d:\d\d by ada : the database moves \. Deliveries are accepted/,
  );
});

test('says who paused the handler last, however long ago somebody looked', async () => {
  const { inbox, get } = await start();
  await inbox.setPaused(true, { operator: 'ada', source: null, reason: null });
  expect(textOf(await get())).toContain('by ada .');
  await inbox.setPaused(false);
  await inbox.setPaused(true, { operator: 'maria', source: null, reason: null });
  expect(await inbox.acts.lastPause()).toMatchObject({ operator: 'maria' });
});

test('an act keeps what came of it, and leads to its deliveries', async () => {
  const { inbox, deliver, get, send } = await start();
  const id = await deliver('one', parked('no plant'));
  await send({ kind: 'replay', filter: JSON.stringify({ ids: [id], state: 'parked' }) });
  const acts = await get('?view=acts');
  expect(acts).toContain(`href="?ids=${id}"`);
  expect(textOf(acts)).toContain(`replay of 1 delivery: parked deliveries ${id}`);
  expect(await inbox.acts.find(1)).toMatchObject({ changed: 1 });
});

test('an act leads to the deliveries that it changed, also when they no longer fail', async () => {
  const { inbox, claims, deliver, get, send } = await start();
  await deliver('one', parked('no plant 1'));
  await deliver('two', parked('no plant 2'));
  await deliver('three', parked('another'));
  await send({ kind: 'replay', filter: JSON.stringify({ errorGroup: 'no plant …', state: 'parked' }) });
  await claims.settle(HANDLED);
  expect(await inbox.acts.find(1)).toMatchObject({ changed: 2 });
  expect(textOf(await get('?done=1'))).toContain(
    '2 deliveries were replayed: handled 1, failed 0, waiting 1 . Show them',
  );
  for (const page of ['?view=acts', '?done=1']) expect(await get(page)).toContain('href="?act=1"');
  const found = textOf(await get('?act=1'));
  expect(found).toMatch(/all 2 parked 0 .* two .* one /);
  expect(found).not.toContain('three');
  expect(textOf(await get('?act=1&ask=replay'))).toContain('Replay 1 shown delivery (handled)?');
});

test('an address with times of its reader becomes one that says the same to everybody', async () => {
  const { url } = await start();
  const { status, fields } = await ask(url, {
    path: '/?state=parked&receivedFrom=2026-01-31T12:00:00&receivedBefore=',
    fields: { cookie: 'zone=Europe/Berlin' },
  });
  expect([status, fields.location]).toEqual([
    303,
    './?state=parked&receivedFrom=2026-01-31T11%3A00%3A00.000Z',
  ]);
});

test('offers nothing where nothing is found, and counts no more than a search finds', async () => {
  const { deliver, get } = await start();
  await deliver('one', parked('no plant'));
  for (const place of ['?errorGroup=none', '?state=handled', '?text=none']) {
    const tools = /<div class="changes[^"]*"/.exec(await get(place))!;
    expect([place, tools[0]]).toEqual([place, '<div class="changes row of-chosen"']);
  }
  expect(textOf(await get('?text=none'))).toMatch(/ all parked retrying /);
});

test('an error that no delivery has is said to be none', async () => {
  const { deliver, get } = await start();
  await deliver('one', parked('connect ECONNREFUSED 127.0.0.1:5432'));
  const found = textOf(await get(`?errorGroup=${encodeURIComponent('connect ECONNREFUSED 127.0.0.1:5432')}`));
  expect(found).toContain('error: connect ECONNREFUSED …');
  expect(found).toContain('Replay these 1');
  expect(textOf(await get('?errorGroup=none'))).toContain('No delivery has this error now');
});

test('what is about the receiver stands at the foot, and the last hour has an axis', async () => {
  const { deliver, get } = await start();
  await deliver('one', parked('no plant'));
  const html = await get('?delivery=1');
  const [head = '', foot = ''] = html.split('</header>');
  expect(textOf(head)).not.toMatch(/Interface|openapi/);
  expect(textOf(foot)).toMatch(/Received in each minute, at most 1 \d\d:\d\d.*Interface openapi\.json/);
  expect(textOf(html)).toMatch(/In process \d+ on /);
});

test('the keys are named where they act', async () => {
  const { get } = await start();
  expect((await get()).match(/<kbd>/g)).not.toBeNull();
  expect((await get('?view=acts')).match(/<kbd>/g)).toBeNull();
});
