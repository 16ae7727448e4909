import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { dropTable } from '../../test/drop-table.js';
import { incoming, openEmbedded } from '../../test/open-inbox.js';
import { recordLog } from '../../test/record-log.js';
import { startListener } from '../../test/start-listener.js';
import type { Inbox } from '../inbox/inbox.js';
import { EventStream, MAX_LISTENERS } from './events.js';

const STATS = {
  waiting: 0,
  running: 0,
  handled: 0,
  parked: 0,
  discarded: 0,
  retrying: 0,
  oldestWaitingAt: null,
  nextRetryAt: null,
  bytes: expect.any(Number),
  isPaused: false,
};

/** An event as it was sent. */
interface Sent {
  readonly name: string;
  readonly data: unknown;
}

/** Reads server-sent events, one after the other. */
class Listener {
  readonly stream = new PassThrough();
  readonly sent: Sent[] = [];

  constructor() {
    afterThisTest(() => this.stream.destroy());
    this.stream.setEncoding('utf8').on('data', (text: string) => {
      for (const event of text.split('\n\n').slice(0, -1)) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event)!;
        this.sent.push({ name: name!, data: JSON.parse(data!) });
      }
    });
  }

  /** The events so far, as soon as there are so many. */
  async events(count: number): Promise<readonly Sent[]> {
    while (this.sent.length < count) await once(this.stream, 'data');
    return this.sent;
  }

  /** An event that has come, or comes, with what is looked for: a look may see a part of what happens. */
  async until(matches: (event: Sent) => boolean): Promise<void> {
    while (!this.sent.some(matches)) await once(this.stream, 'data');
  }
}

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const accept = (inbox: Inbox): Promise<number> => inbox.accept(incoming('arbitrary'));

interface Started {
  readonly inbox: Inbox;
  readonly events: EventStream;
  /** How often the inbox was looked at. */
  readonly looks: () => number;
  readonly listen: () => Listener;
}

async function start(interval = 10): Promise<Started> {
  const inbox = await openEmbedded(makeFolder());
  let count = 0;
  const counted: Pick<Inbox, 'list' | 'stats'> = {
    // What a look begins with: one under way isn't another one.
    list: (filter, page) => {
      count += 1;
      return inbox.list(filter, page);
    },
    stats: () => inbox.stats(),
  };
  const events = new EventStream(counted, recordLog().logger, interval);
  afterThisTest(() => events.close());
  const listen = (): Listener => {
    const listener = new Listener();
    events.add(listener.stream);
    return listener;
  };
  return { inbox, events, looks: () => count, listen };
}

test('a listener gets both at once, and then only what has changed', async () => {
  const { inbox, looks, listen } = await start();
  const listener = listen();
  const first = [
    { name: 'stats', data: STATS },
    { name: 'deliveries', data: { newestId: null } },
  ];
  expect(await listener.events(2)).toEqual(first);
  while (looks() < 4) await delay(1);
  expect(listener.sent).toEqual(first);

  await accept(inbox);
  await listener.until((event) => (event.data as { waiting?: number }).waiting === 1);
  await listener.until(({ data }) => (data as { newestId?: number }).newestId === 1);
  await inbox.setPaused(true);
  await listener.until((event) => (event.data as { isPaused?: boolean }).isPaused === true);
});

test('it looks at the inbox for all listeners together, and not at all without one', async () => {
  const { looks, listen } = await start(60_000);
  expect(looks()).toBe(0);
  const listeners = Array.from({ length: MAX_LISTENERS }, listen);
  await Promise.all(listeners.map((listener) => listener.events(2)));
  expect(looks()).toBe(1);

  const often = await start();
  const before = timers();
  const { stream } = often.listen();
  expect(timers()).toBe(before + 1);
  stream.destroy();
  await once(stream, 'close');
  expect(timers()).toBe(before);
});

test('a connection has one listener, however often it asks, and none when it has closed', async () => {
  const { events, listen } = await start();
  const { url } = await startListener((app) => events.route(app));
  const { host, port } = new URL(url);
  const hasRoom = async (): Promise<boolean> =>
    (await fetch(new URL('/events', url), { method: 'HEAD' })).status === 200;
  const socket = connect(Number(port), '127.0.0.1');

  socket.write(`GET /events HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(2 * MAX_LISTENERS));
  await once(socket, 'data');
  for (let others = 1; others < MAX_LISTENERS - 1; others += 1) listen();
  expect(await hasRoom()).toBe(true);
  listen();
  expect(await hasRoom()).toBe(false);
  socket.destroy();
  while (!(await hasRoom()));
});

test('a listener that does not read is dropped, and others go on', async () => {
  const { inbox, events, listen } = await start();
  const slow = new PassThrough({ highWaterMark: 1 });
  events.add(slow);
  const dropped = once(slow, 'close');
  const listener = listen();
  await listener.events(2);

  await accept(inbox);
  await listener.events(4);
  await dropped;
});

test('an inbox that cannot be read sends nothing, and the log says why', async () => {
  const log = recordLog();
  const inbox = await openEmbedded(makeFolder());
  dropTable(inbox.location, 'delivery');
  const events = new EventStream(inbox, log.logger);
  afterThisTest(() => events.close());
  const listener = new Listener();
  events.add(listener.stream);

  expect(await log.line('failed to read the inbox for listeners')).toMatchObject({ level: 'error' });
  expect(listener.sent).toEqual([]);
});

test('whoever finds no room is told so, on a connection that closes', async () => {
  const { events, listen } = await start();
  for (let index = 0; index < MAX_LISTENERS; index += 1) listen();
  const { url } = await startListener((app) => events.route(app));
  const response = await fetch(new URL('/events', url));

  expect([response.status, response.headers.get('connection')]).toEqual([503, 'close']);
  expect(await response.json()).toMatchObject({ code: 'TOO_MANY_LISTENERS' });
});
