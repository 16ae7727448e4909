import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { useClocksThatRunOut, useTimeThatPasses } from './support/clocks.js';
import {
  acknowledge,
  type RawRequest,
  respondWith,
  startRawServer,
  staySilent,
} from './support/raw-server.js';
import { arbitrary, openTestSender, rejection } from './support/senders.js';

const contents = (requests: readonly RawRequest[]): string[] =>
  requests.map(({ content }) => content.toString());
const response = (status: number): string => `HTTP/1.1 ${status} Arbitrary\r\nContent-Length: 0\r\n\r\n`;

describe('while a delivery waits for a connection', () => {
  test.each([
    ['attemptTimeout', 'PLANT_STORE_ATTEMPT_TIMEOUT'],
    ['totalTimeout', 'PLANT_STORE_TOTAL_TIMEOUT'],
  ])('%s does not run out; it starts with the turn of the delivery', async (clock, code) => {
    const server = await startRawServer(staySilent);
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1, [clock]: 10_000 });
    const runOut = useClocksThatRunOut(10_000);

    const first = rejection(sender.send('first'));
    const second = rejection(sender.send('second'));
    await server.request(0);
    runOut();
    expect(await first).toMatchObject({ code, outcome: 'unknown' });
    await server.request(1);
    runOut();

    expect(await second).toMatchObject({ code, outcome: 'unknown' });
    expect(contents(server.requests)).toEqual(['first', 'second']);
  });

  test('totalTimeout stands still, also before a further attempt', async () => {
    const server = await startRawServer(({ socket }, index) => {
      if (index !== 1) socket.write(response(index === 0 ? 503 : 204));
    });
    const sender = openTestSender({
      baseUrl: server.url,
      maxConnections: 1,
      totalTimeout: 10_000,
      retry: { delays: [1], statuses: [503], withoutResponse: false },
    });
    const runOut = useClocksThatRunOut(10_000);

    const first = sender.send('first');
    const second = rejection(sender.send('second'));
    await server.request(1);
    // Timers run out in the order of their times: the delay of the first delivery is over before this one.
    await setTimeout(10);
    runOut();

    expect(await second).toMatchObject({ code: 'PLANT_STORE_TOTAL_TIMEOUT', outcome: 'unknown' });
    expect(await first).toMatchObject({ status: 204 });
    expect(contents(server.requests)).toEqual(['first', 'second', 'first']);
  });

  test('a delivery that is started later is sent after it', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1 });

    const first = sender.send('first').then(() => sender.send('third'));
    await Promise.all([first, sender.send('second')]);

    expect(contents(server.requests)).toEqual(['first', 'second', 'third']);
  });

  test('its wait does not count for totalTimeout, and what it used before does', async () => {
    const server = await startRawServer((request, index) => (index < 2 ? undefined : acknowledge(request)));
    const pass = useTimeThatPasses();
    let tokens = 0;
    const sender = openTestSender({
      baseUrl: server.url,
      maxConnections: 1,
      totalTimeout: 10_000,
      encode: (content) => (pass(5_000), { content }),
      accessToken: () => (pass(tokens === 2 ? 5_000 : 0), `token${(tokens += 1)}`),
    });

    const [first, second, third] = ['first', 'second', 'third'].map((content) => sender.send(content));
    const slow = rejection(third!);
    for (const index of [0, 1]) {
      const request = await server.request(index);
      pass(10_000);
      acknowledge(request);
    }

    expect(await Promise.all([first, second])).toMatchObject([{ status: 204 }, { status: 204 }]);
    expect(await slow).toMatchObject({ code: 'PLANT_STORE_TOTAL_TIMEOUT', outcome: 'not-sent' });
  });

  test('it fails at once if its time was over before it waits', async () => {
    const server = await startRawServer(() => undefined);
    const pass = useTimeThatPasses();
    const encode = (content: string | Uint8Array): { content: string | Uint8Array } => {
      if (content === 'late') pass(10_000);
      return { content };
    };
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1, totalTimeout: 10_000, encode });

    const first = sender.send('first');
    const request = await server.request(0);
    expect(await rejection(sender.send('late'))).toMatchObject({
      code: 'PLANT_STORE_TOTAL_TIMEOUT',
      outcome: 'not-sent',
    });
    acknowledge(request);

    expect(await first).toMatchObject({ status: 204 });
  });

  test('no token is asked for, and no headers are made', async () => {
    const server = await startRawServer(({ socket }, index) => {
      if (index === 0) socket.write(response(503));
    });
    const calls: string[] = [];
    const sender = openTestSender({
      baseUrl: server.url,
      maxConnections: 1,
      accessToken: () => `token${calls.push('accessToken')}`,
      headers: () => (calls.push('headers'), {}),
    });

    await rejection(sender.send('refused'));
    calls.length = 0;
    const first = sender.send('first');
    const second = sender.send('second');
    const { socket } = await server.request(1);
    expect(calls).toEqual(['accessToken', 'headers']);
    socket.write(response(204));
    (await server.request(2)).socket.write(response(204));

    await Promise.all([first, second]);
    expect(calls).toEqual(['accessToken', 'headers', 'accessToken', 'headers']);
  });

  test('its signal ends the wait; the others move up in order', async () => {
    const server = await startRawServer((request, index) => (index === 0 ? undefined : acknowledge(request)));
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1 });
    const controllers = Array.from({ length: 6 }, () => new AbortController());
    const sent = controllers.map(({ signal }, index) => sender.send(String(index), { signal }));
    const failed = [1, 3, 5].map((index) => rejection(sent[index]!));

    const { socket } = await server.request(0);
    for (const index of [3, 1, 5]) controllers[index]!.abort();
    for (const error of await Promise.all(failed)) {
      expect(error).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' });
    }
    acknowledge({ socket } as RawRequest);

    await Promise.all([sent[0], sent[2], sent[4]]);
    expect(contents(server.requests)).toEqual(['0', '2', '4']);
  });
});

test('10,000 deliveries at once on a receiver that hangs: only those that were sent are lost', async () => {
  const hung = 64;
  const server = await startRawServer((request, index) => {
    if (index >= hung) acknowledge(request);
  });
  const sender = openTestSender({ baseUrl: server.url, attemptTimeout: 10_000, totalTimeout: 10_000 });
  const runOut = useClocksThatRunOut(10_000);

  const sent = Array.from({ length: 10_000 }, () => sender.send(arbitrary));
  const results = Promise.allSettled(sent);
  await server.request(hung - 1);
  runOut();

  const lost = (await results).filter(({ status }) => status === 'rejected');
  expect(lost).toHaveLength(hung);
  for (const { reason } of lost as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ outcome: 'unknown' });
  }
  expect(server.requests).toHaveLength(10_000);
});

describe('a response that nobody asked for', () => {
  test.each([
    ['in the same piece', (socket: Socket) => void socket.write(response(200) + response(299))],
    [
      'in the next piece',
      (socket: Socket) => {
        socket.write(response(200));
        socket.write(response(299));
      },
    ],
  ])('%s as the response before: it acknowledges nothing', async (_, respond) => {
    const server = await startRawServer(({ socket }, index) =>
      index === 0 ? respond(socket) : socket.write(response(201)),
    );
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1 });

    expect(await sender.send('first')).toMatchObject({ status: 200 });
    expect(await sender.send('second')).toMatchObject({ status: 201 });
    expect(server.requests[1]!.socket).not.toBe(server.requests[0]!.socket);
  });

  test('just before the next request: it acknowledges nothing', async () => {
    const server = await startRawServer(respondWith(response(201)));
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1 });
    await sender.send('first');
    const { socket } = server.requests[0]!;
    const other = await startRawServer(acknowledge);

    // The delivery starts while Node handles what other sockets received, and so after it looked for bytes.
    const connection = once(other.server, 'connection') as Promise<[Socket]>;
    const otherSender = openTestSender({ baseUrl: other.url });
    await Promise.all([connection, otherSender.send(arbitrary)]);
    socket.write(response(299));

    expect(await sender.send('second')).toMatchObject({ status: 201 });
    expect(server.requests[1]!.socket).not.toBe(socket);
  });

  test('for requests that wait in the queue: it acknowledges none of them', async () => {
    const server = await startRawServer(({ socket }, index) => {
      socket.write(response(201));
      if (index === 0) socket.write(response(299));
    });
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1 });

    const sent = await Promise.all(['0', '1', '2'].map((content) => sender.send(content)));

    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(contents(server.requests)).toEqual(['0', '1', '2']);
  });
});
