import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { afterThisTest, makeFolder } from '@plant-store/test-support';

import { dropTable } from '../../test/damage-inbox.js';
import { recordLog } from '../../test/record-log.js';
import { startListener } from '../../test/start-listener.js';
import type { Inbox } from '../inbox/inbox.js';
import type { InboxOperations } from '../inbox/inbox-operations.js';
import { openSqliteInbox } from '../inbox/sqlite-inbox.js';
import { eventRoute, EventStream, MAX_LISTENERS } from './event-stream.js';
import type { Stream } from './router.js';

const STATS = {
  waiting: 0,
  handled: 0,
  parked: 0,
  discarded: 0,
  oldestWaitingAt: null,
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
}

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const accept = (inbox: Inbox): Promise<number> =>
  inbox.accept({
    method: 'POST',
    mediaType: null,
    contentEncoding: null,
    eventId: null,
    fields: [],
    content: Buffer.from('arbitrary'),
  });

interface Started {
  readonly inbox: Inbox;
  readonly events: EventStream;
  /** How often the inbox was looked at. */
  readonly looks: () => number;
  readonly listen: () => Listener;
}

function start(interval = 10): Started {
  const inbox = openSqliteInbox(makeFolder());
  afterThisTest(() => inbox.close());
  let count = 0;
  const counted: Pick<InboxOperations, 'list' | 'stats'> = {
    list: (filter, page) => inbox.list(filter, page),
    stats: () => {
      count += 1;
      return inbox.stats();
    },
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
  const { inbox, listen } = start();
  const listener = listen();
  expect(await listener.events(2)).toEqual([
    { name: 'stats', data: STATS },
    { name: 'deliveries', data: { newestId: null } },
  ]);

  await accept(inbox);
  expect((await listener.events(4)).slice(2)).toEqual([
    { name: 'stats', data: { ...STATS, waiting: 1, oldestWaitingAt: expect.any(Number) } },
    { name: 'deliveries', data: { newestId: 1 } },
  ]);

  await inbox.setPaused(true);
  expect((await listener.events(5)).slice(4)).toEqual([
    { name: 'stats', data: expect.objectContaining({ isPaused: true }) },
  ]);
});

test('it looks at the inbox for all listeners together, and not at all without one', async () => {
  const { looks, listen } = start(60_000);
  expect(looks()).toBe(0);

  const before = timers();
  const listeners = Array.from({ length: MAX_LISTENERS }, listen);
  expect(timers()).toBe(before + 1);
  await Promise.all(listeners.map((listener) => listener.events(2)));
  expect(looks()).toBe(1);

  for (const { stream } of listeners) stream.destroy();
  await Promise.all(listeners.map(({ stream }) => once(stream, 'close')));
  expect(timers()).toBe(before);
});

test('the number of listeners is limited', async () => {
  const { events, listen } = start();
  const [first] = Array.from({ length: MAX_LISTENERS }, listen);
  expect(events.isFull).toBe(true);

  first!.stream.destroy();
  await once(first!.stream, 'close');
  expect(events.isFull).toBe(false);
});

test('a connection has one listener, however often it asks, and none when it has closed', async () => {
  const { events } = start();
  const { url } = await startListener([eventRoute(events)]);
  const { host, port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const before = timers();

  socket.write(`GET /events HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(2 * MAX_LISTENERS));
  await once(socket, 'data');
  expect(events.isFull).toBe(false);
  socket.destroy();
  while (timers() > before) await turnOfTheLoop();
});

test('a listener that does not read is dropped, and others go on', async () => {
  const { inbox, events, listen } = start();
  const slow = new PassThrough({ highWaterMark: 1 });
  events.add(slow);
  const dropped = once(slow, 'close');
  const listener = listen();
  await listener.events(2);

  await accept(inbox);
  await listener.events(4);
  await dropped;
});

test('a listener that fails ends nothing, and others go on', async () => {
  const { inbox, events, listen } = start();
  const failing = new PassThrough();
  events.add(failing);
  const listener = listen();
  await listener.events(2);

  failing.destroy(new Error('arbitrary'));
  await accept(inbox);
  await listener.events(4);
});

test('a connection on which nothing moves stays open', async () => {
  const { events } = start();
  const route = eventRoute(events);
  const timeouts: (number | undefined)[] = [];
  const { url } = await startListener([
    {
      ...route,
      respond: (request) => (response) => {
        (route.respond(request) as Stream)(response);
        timeouts.push(response.socket?.timeout);
      },
    },
  ]);
  await fetch(new URL('/events', url));

  expect(timeouts).toEqual([0]);
});

test('ends at the stop', async () => {
  const { events, listen } = start();
  const { stream } = listen();
  const ended = once(stream, 'end');

  events.close();
  await ended;
});

test('an inbox that cannot be read sends nothing, and the log says why', async () => {
  const log = recordLog();
  const inbox = openSqliteInbox(makeFolder());
  afterThisTest(() => inbox.close());
  dropTable(inbox.location, 'parked');
  const events = new EventStream(inbox, log.logger);
  afterThisTest(() => events.close());
  const listener = new Listener();
  events.add(listener.stream);

  expect(await log.line('failed to read the inbox for listeners')).toMatchObject({ level: 'error' });
  expect(listener.sent).toEqual([]);
});

test('whoever finds no room is told so, on a connection that closes', async () => {
  const { events, listen } = start();
  for (let index = 0; index < MAX_LISTENERS; index += 1) listen();
  const { url } = await startListener([eventRoute(events)]);
  const response = await fetch(new URL('/events', url));

  expect([response.status, response.headers.get('connection')]).toEqual([503, 'close']);
  expect(await response.json()).toMatchObject({ code: 'TOO_MANY_LISTENERS' });
});
