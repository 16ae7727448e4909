import { once } from 'node:events';
import type { Socket } from 'node:net';
import { acknowledge, closing, startRawServer, staySilent } from './support/raw-server.js';
import { arbitrary, openTestSender, rejection } from './support/senders.js';

describe('close', () => {
  test('waits for the deliveries in flight', async () => {
    const server = await startRawServer(staySilent);
    const sender = openTestSender({ baseUrl: server.url, maxConnections: 1 });
    const order: string[] = [];
    const first = sender.send(arbitrary).then(() => order.push('first'));
    const second = sender.send(arbitrary).then(() => order.push('second'));

    const closed = sender.close().then(() => order.push('closed'));
    for (const index of [0, 1]) acknowledge(await server.request(index));
    await Promise.all([first, second, closed]);

    expect(order).toEqual(['first', 'second', 'closed']);
  });

  test('ends the connections', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openTestSender({ baseUrl: server.url });
    await sender.send(arbitrary);
    const closed = closing(server.requests[0]!.socket);

    await sender.close();

    await closed;
  });

  test('ends a connection that is still being made for an attempt that failed', async () => {
    const server = await startRawServer(acknowledge);
    const connected = once(server.server, 'connection') as Promise<[Socket]>;
    const sender = openTestSender({
      baseUrl: `https://127.0.0.1:${server.port}`,
      attemptTimeout: 50,
      connectTimeout: 600_000,
    });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ATTEMPT_TIMEOUT',
      outcome: 'not-sent',
    });
    const [socket] = await connected;
    const closed = closing(socket);
    await sender.close();

    await closed;
  });

  test.each([
    ['once', undefined],
    ['in attempts', { delays: [1], statuses: 'all', withoutResponse: true }],
  ] as const)('does not wait for calls that break their types, %s', async (_, retry) => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9', ...(retry && { retry }) });

    const invalid = { code: 'PLANT_STORE_INVALID_OPTIONS', outcome: 'not-sent' };
    expect(await rejection(sender.send(arbitrary, null as never))).toMatchObject(invalid);
    expect(await rejection(sender.send(arbitrary, { signal: 'none' as never }))).toMatchObject(invalid);

    await sender.close();
  });

  test('refuses every later send, even while it waits', async () => {
    const server = await startRawServer(staySilent);
    const sender = openTestSender({ baseUrl: server.url });
    const first = sender.send(arbitrary);
    const request = await server.request(0);

    const closed = sender.close();
    const refused = { code: 'PLANT_STORE_SENDER_CLOSED', outcome: 'not-sent' };
    expect(await rejection(sender.send(arbitrary))).toMatchObject(refused);
    acknowledge(request);
    await Promise.all([first, closed]);

    expect(await rejection(sender.send(arbitrary))).toMatchObject(refused);
    expect(server.requests).toHaveLength(1);
  });

  test('may be called twice, and before anything is sent', async () => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' });

    expect(sender.close()).toBe(sender.close());
    await sender.close();
  });
});
