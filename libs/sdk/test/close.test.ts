import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type CloseOptions, InvalidOptionsError, type PlantStoreError } from '../src/index.js';
import { acknowledge, closing, respondWith, startRawServer, staySilent } from './support/raw-server.js';
import { responseHeads } from './support/response-heads.js';
import { arbitrary, openTestSender, rejection, openBoth } from './support/senders.js';

describe('close', () => {
  test('waits for the deliveries in flight', async () => {
    const { server, sender } = await openBoth(staySilent, { maxConnections: 1 });
    const order: string[] = [];
    const first = sender.send(arbitrary).then(() => order.push('first'));
    const second = sender.send(arbitrary).then(() => order.push('second'));

    const closed = sender.close().then(() => order.push('closed'));
    for (const index of [0, 1]) acknowledge(await server.request(index));
    await Promise.all([first, second, closed]);

    expect(order).toEqual(['first', 'second', 'closed']);
  });

  test('ends the connections', async () => {
    const { server, sender } = await openBoth(acknowledge);
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
});

describe('close with force', () => {
  const begun = (status: number): string => `HTTP/1.1 ${status} Arbitrary\r\nContent-Length: 9\r\n\r\nhalf`;

  test('ends the deliveries in flight, each with its outcome', async () => {
    const { server, sender } = await openBoth(
      (request, index) => {
        if (index > 0) request.socket.write(begun(index === 1 ? 500 : 200));
      },
      { maxConnections: 3 },
    );
    const read = responseHeads(2);
    const sent: Promise<PlantStoreError>[] = [];
    const { signal } = new AbortController();
    for (const index of [0, 1, 2]) {
      sent.push(rejection(sender.send(arbitrary, index === 0 ? { signal } : {})));
      await server.request(index);
    }
    sent.push(rejection(sender.send('waits for a connection')));
    const closed = server.requests.map(({ socket }) => closing(socket));
    await read;

    await sender.close({ force: true });

    const errors = await Promise.all(sent);
    expect(errors.map(({ outcome }) => outcome)).toEqual(['unknown', 'responded', 'unknown', 'not-sent']);
    for (const { code, cause } of errors) {
      expect(code).toBe('PLANT_STORE_ABORTED');
      expect(cause).toMatchObject({ code: 'PLANT_STORE_SENDER_CLOSED' });
    }
    await Promise.all(closed);
    expect(server.requests).toHaveLength(3);
  });

  test('ends the wait between two attempts, for an access token, and for header fields', async () => {
    const server = await startRawServer(respondWith('HTTP/1.1 503 Arbitrary\r\nContent-Length: 0\r\n\r\n'));
    const retry = { delays: [600_000], statuses: [503], withoutResponse: false };
    const stuck = (): Promise<never> => new Promise(() => {});
    const senders = [{ retry }, { accessToken: stuck }, { headers: stuck }].map((options) =>
      openTestSender({ baseUrl: server.url, ...options }),
    );
    const sent = senders.map((sender) => rejection(sender.send(arbitrary)));
    const { socket } = await server.request(0);
    socket.end();
    await closing(socket);

    await Promise.all(senders.map((sender) => sender.close({ force: true })));

    expect(await Promise.all(sent)).toMatchObject(
      ['responded', 'not-sent', 'not-sent'].map((outcome) => ({ code: 'PLANT_STORE_ABORTED', outcome })),
    );
  });

  test('ends what an earlier close waits for', async () => {
    const { server, sender } = await openBoth(staySilent);
    const sent = rejection(sender.send(arbitrary));
    await server.request(0);

    const closed = sender.close();
    expect(sender.close({ force: true })).toBe(closed);

    await closed;
    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'unknown' });
  });

  test.each([null, 1, { force: 1 }, { forced: true }])('must not be called with %j', (options) => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' });

    expect(() => sender.close(options as CloseOptions)).toThrow(InvalidOptionsError);
  });
});
