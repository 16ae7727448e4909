import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterThisTest } from '@plant-store/test-support';
import { Agent, buildConnector } from 'undici';
import { useClocks, useTimeThatPasses } from './support/clocks.js';
import {
  acknowledge,
  closing,
  inTurn,
  type RawRequest,
  respond,
  respondWith,
  startRawServer,
  staySilent,
} from './support/raw-server.js';
import { arbitrary, openTestSender, rejection, openBoth } from './support/senders.js';

const contents = (requests: readonly RawRequest[]): string[] =>
  requests.map(({ content }) => content.toString());
const response = (status: number): string => `HTTP/1.1 ${status} Arbitrary\r\nContent-Length: 0\r\n\r\n`;

describe('while a delivery waits for a connection', () => {
  test('attemptTimeout does not run; it starts with the turn of the delivery', async () => {
    const { server, sender } = await openBoth(staySilent, { maxConnections: 1, attemptTimeout: 10_000 });
    const { runOut } = useClocks(10_000);

    const first = rejection(sender.send('first'));
    const second = rejection(sender.send('second'));
    for (const [index, sent] of [first, second].entries()) {
      await server.request(index);
      expect(runOut()).toBe(1);
      expect(await sent).toMatchObject({ code: 'PLANT_STORE_ATTEMPT_TIMEOUT', outcome: 'unknown' });
    }
    expect(contents(server.requests)).toEqual(['first', 'second']);
  });

  test('totalTimeout runs: what is not sent when it ends never is', async () => {
    const { server, sender } = await openBoth(staySilent, { maxConnections: 2, totalTimeout: 10_000 });
    const { runOut } = useClocks(10_000);

    const sent = Array.from({ length: 30 }, (_, index) => rejection(sender.send(String(index))));
    await server.request(1);
    expect(runOut()).toBe(30);

    const errors = await Promise.all(sent);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['PLANT_STORE_TOTAL_TIMEOUT']));
    expect(errors.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(2).fill('unknown'),
      ...Array<string>(28).fill('not-sent'),
    ]);
    await sender.close();
    expect(contents(server.requests)).toEqual(['0', '1']);
  });

  test.each([
    ['is over', 10_000],
    ['is almost over', 9_500],
    ['ends before a request like the last one would', 8_500],
  ])('nothing is begun once totalTimeout %s', async (_, milliseconds) => {
    const calls: string[] = [];
    const { server, sender } = await openBoth(staySilent, {
      maxConnections: 1,
      totalTimeout: 10_000,
      accessToken: () => `token${calls.push('accessToken')}`,
    });
    const pass = useTimeThatPasses();

    const first = sender.send('first');
    const second = rejection(sender.send('second'));
    const request = await server.request(0);
    pass(milliseconds);
    acknowledge(request);

    expect(await first).toMatchObject({ status: 204 });
    expect(await second).toMatchObject({
      code: 'PLANT_STORE_TOTAL_TIMEOUT',
      outcome: 'not-sent',
      attempts: 0,
      message: expect.stringContaining('the sender was busy with other deliveries') as string,
    });
    await sender.close();
    expect([contents(server.requests), calls]).toEqual([['first'], ['accessToken']]);
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
    const { server, sender } = await openBoth(
      (request, index) => (index === 0 ? undefined : acknowledge(request)),
      { maxConnections: 1 },
    );
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

test('a delivery that is aborted just when it gets its turn gives the turn to the next one', async () => {
  const controller = new AbortController();
  const { server, sender } = await openBoth(inTurn(respond(503), acknowledge), {
    maxConnections: 1,
    // It is asked between the turn of the one delivery and that of the next.
    retry: { delays: () => controller.abort() as undefined, statuses: [503], withoutResponse: false },
  });

  const refused = rejection(sender.send('refused'));
  const aborted = rejection(sender.send('aborted', { signal: controller.signal }));
  const next = sender.send('next');

  expect(await refused).toMatchObject({ status: 503 });
  expect(await aborted).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' });
  expect(await next).toMatchObject({ status: 204 });
  expect(contents(server.requests)).toEqual(['refused', 'next']);
});

test.each([
  ['attemptTimeout', 'PLANT_STORE_ATTEMPT_TIMEOUT'],
  ['totalTimeout', 'PLANT_STORE_TOTAL_TIMEOUT'],
])('nothing is sent on a connection that was made when %s is almost over', async (clock, code) => {
  const server = await startRawServer(acknowledge);
  const pass = useTimeThatPasses();
  const connector = buildConnector({});
  const connect: buildConnector.connector = (options, callback) => {
    pass(9_500);
    connector(options, callback);
  };
  const dispatcher = new Agent({ connect });
  afterThisTest(() => dispatcher.destroy());
  const sender = openTestSender({ baseUrl: server.url, dispatcher, [clock]: 10_000 });

  expect(await rejection(sender.send(arbitrary))).toMatchObject({ code, outcome: 'not-sent' });
  await sender.close();
  expect(server.requests).toEqual([]);
});

test('a connection that follows one that the receiver closed is not old', async () => {
  const { server, sender } = await openBoth(acknowledge, { maxConnections: 1, maxConnectionAge: 10_000 });
  const pass = useTimeThatPasses();
  await sender.send('first');
  const { socket } = await server.request(0);
  const closed = closing(socket);
  socket.end();
  await closed;
  pass(20_000);

  await sender.send('second');
  await sender.send('third');

  const connections = server.requests.map(({ headers }) =>
    headers.find((field) => field.startsWith('connection')),
  );
  expect(connections).toEqual(Array(3).fill('connection: keep-alive'));
  expect(server.requests[2]!.socket).toBe(server.requests[1]!.socket);
});

test('a connection stays old if the request that was to end it was aborted before it was sent', async () => {
  const { server, sender } = await openBoth(acknowledge, { maxConnections: 1, maxConnectionAge: 10_000 });
  const pass = useTimeThatPasses();
  const controller = new AbortController();
  await sender.send('first');
  pass(20_000);
  const abort = (): void => controller.abort();
  subscribe('undici:request:create', abort);
  afterThisTest(() => void unsubscribe('undici:request:create', abort));
  const aborted = { code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' };
  expect(await rejection(sender.send('aborted', { signal: controller.signal }))).toMatchObject(aborted);
  pass(20_000);

  await sender.send('second');

  expect(contents(server.requests)).toEqual(['first', 'second']);
  expect(server.requests[1]!.socket).toBe(server.requests[0]!.socket);
  expect(server.requests[1]!.headers).toContain('connection: close');
});

test('a connection that is old is used no more, though it was never idle', async () => {
  const { server, sender } = await openBoth(acknowledge, { maxConnections: 1, maxConnectionAge: 1 });
  const opened = (): number => new Set(server.requests.map(({ socket }) => socket)).size;

  while (opened() < 3) await sender.send(arbitrary);
  await sender.close();

  expect(contents(server.requests)).toEqual(server.requests.map(() => arbitrary));
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
    const { server, sender } = await openBoth(
      ({ socket }, index) => (index === 0 ? respond(socket) : socket.write(response(201))),
      { maxConnections: 1 },
    );

    expect(await sender.send('first')).toMatchObject({ status: 200 });
    expect(await sender.send('second')).toMatchObject({ status: 201 });
    expect(server.requests[1]!.socket).not.toBe(server.requests[0]!.socket);
  });

  test('just before the next request: it acknowledges nothing', async () => {
    const { server, sender } = await openBoth(respondWith(response(201)), { maxConnections: 1 });
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
});
