import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import type { AccessTokenRequest } from '../src/index.js';
import { acknowledge, closing, respondWith, startRawServer, staySilent } from './support/raw-server.js';
import { responseHeads } from './support/response-heads.js';
import { arbitrary, openTestSender, rejection, openBoth } from './support/senders.js';

const reason = new Error('the reason of the caller');

/** A signal as a package may have it. */
function signalWith(part: object): AbortSignal {
  const whole = { aborted: false, addEventListener() {}, removeEventListener() {} };
  return Object.assign(whole, part) as unknown as AbortSignal;
}

describe('the signal of the caller', () => {
  test('that is already aborted: nothing is encoded or sent, and no token is asked for', async () => {
    const server = await startRawServer(acknowledge);
    let asked = 0;
    const sender = openTestSender({
      baseUrl: server.url,
      encode: (content) => ({ content: `${String(content)} ${(asked += 1)}` }),
      accessToken: () => `token${(asked += 1)}`,
    });

    const error = await rejection(sender.send(arbitrary, { signal: AbortSignal.abort(reason) }));

    expect(error).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent', cause: reason });
    await sender.close();
    expect(server.requests).toEqual([]);
    expect(asked).toBe(0);
  });

  test('ends the wait for the access token, and aborts the signal of the function', async () => {
    const server = await startRawServer(acknowledge);
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    let later: AccessTokenRequest | undefined;
    const sender = openTestSender({
      baseUrl: server.url,
      accessToken: (request) => {
        if (later === undefined) later = request;
        else signals.push(request.signal, request.signal);
        return new Promise<string>(() => {});
      },
    });

    const sent = [1, 2].map(() => rejection(sender.send(arbitrary, { signal: controller.signal })));
    controller.abort(reason);

    const aborted = { code: 'PLANT_STORE_ABORTED', outcome: 'not-sent', cause: reason };
    expect(await Promise.all(sent)).toMatchObject([aborted, aborted]);
    expect([...signals, later!.signal].map((signal) => signal.aborted)).toEqual([true, true, true]);
    await sender.close();
    expect(server.requests).toEqual([]);
  });

  test.each(['accessToken', 'headers'])(
    'that %s aborts before its promise rejects: the delivery is aborted, and the process goes on',
    async (option) => {
      const controller = new AbortController();
      const abortAndReject = async (): Promise<never> => {
        controller.abort(reason);
        throw new Error('arbitrary');
      };
      const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9', [option]: abortAndReject });

      const error = await rejection(sender.send(arbitrary, { signal: controller.signal }));

      expect(error).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent', cause: reason });
    },
  );

  test('ends connecting', async () => {
    const server = await startRawServer(acknowledge);
    const connected = once(server.server, 'connection');
    const controller = new AbortController();
    const sender = openTestSender({ baseUrl: `https://127.0.0.1:${server.port}`, connectTimeout: 600_000 });

    const sent = rejection(sender.send(arbitrary, { signal: controller.signal }));
    const [socket] = (await connected) as [Socket];
    const closed = closing(socket);
    controller.abort(reason);

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' });
    await sender.close();
    await closed;
  });

  test('ends the wait for a response, and closes the connection', async () => {
    const server = await startRawServer(staySilent);
    const controller = new AbortController();

    const sent = rejection(
      openTestSender({ baseUrl: server.url }).send(arbitrary, { signal: controller.signal }),
    );
    const { socket } = await server.request(0);
    const closed = closing(socket);
    controller.abort(reason);

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'unknown', cause: reason });
    await closed;
  });

  test.each([
    [200, 'unknown'],
    [500, 'responded'],
    [504, 'unknown'],
  ])('ends reading a response with %i; the outcome is %s', async (status, outcome) => {
    const controller = new AbortController();
    const { sender } = await openBoth(
      respondWith(`HTTP/1.1 ${status} Arbitrary\r\nContent-Length: 100\r\n\r\n`),
    );

    const sent = rejection(sender.send(arbitrary, { signal: controller.signal }));
    await responseHeads();
    controller.abort(reason);

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome });
  });

  test('may be of a package: without a reason, and with listeners that are functions alone', async () => {
    const { server, sender } = await openBoth((request, index) => {
      if (index === 0) acknowledge(request);
    });
    const listeners = new Set<() => void>();
    const signal = signalWith({
      addEventListener: (_: string, listener: () => void) => listeners.add(listener.bind(undefined)),
    });

    expect(await sender.send(arbitrary, { signal })).toMatchObject({ status: 204 });
    const sent = rejection(sender.send(arbitrary, { signal }));
    await server.request(1);
    Object.assign(signal, { aborted: true });
    for (const listener of listeners) listener();

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'unknown' });
    const before = { code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' };
    expect(await rejection(sender.send(arbitrary, { signal }))).toMatchObject(before);
    await sender.close();
  });

  const throwing = (): never => {
    throw new Error('arbitrary');
  };
  const throwingWhenRead = (name: string): AbortSignal =>
    Object.defineProperty(signalWith({}), name, { get: throwing });

  test.each<[string, AbortSignal]>([
    ['without removeEventListener', signalWith({ removeEventListener: undefined })],
    ['without addEventListener', signalWith({ addEventListener: undefined })],
    ['with a getter that throws', throwingWhenRead('aborted')],
    ['whose addEventListener throws', signalWith({ addEventListener: throwing })],
  ])('%s is refused, and the sender can be closed', async (_, signal) => {
    const { server, sender } = await openBoth(acknowledge);

    expect(await rejection(sender.send(arbitrary, { signal }))).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      faults: [{ option: 'signal', problem: expect.stringMatching(/^must be an AbortSignal/) as string }],
    });
    await sender.close();
    expect(server.requests).toEqual([]);
  });

  test('whose removeEventListener throws takes nothing from what became of a delivery', async () => {
    const { sender } = await openBoth(acknowledge);
    const signal = signalWith({ removeEventListener: throwing });

    expect(await sender.send(arbitrary, { signal })).toMatchObject({ status: 204 });
    await sender.close();
  });

  test('whose reason throws aborts a delivery, too', async () => {
    const { sender } = await openBoth(acknowledge);
    const signal = Object.assign(throwingWhenRead('reason'), { aborted: true });

    const aborted = { code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' };
    expect(await rejection(sender.send(arbitrary, { signal }))).toMatchObject(aborted);
    await sender.close();
  });

  test.each<[string, () => AbortSignal]>([
    [
      'that is aborted while the sender begins to listen, without telling',
      () => {
        const signal = signalWith({ addEventListener: () => Object.assign(signal, { aborted: true }) });
        return signal;
      },
    ],
    [
      'that tells it already while the sender begins to listen',
      () => {
        const signal = signalWith({
          addEventListener: (_: string, listener: () => void) => {
            Object.assign(signal, { aborted: true });
            listener();
          },
        });
        return signal;
      },
    ],
  ])('%s aborts a delivery', async (_, makeSignal) => {
    const { server, sender } = await openBoth(acknowledge);

    const aborted = { code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' };
    expect(await rejection(sender.send(arbitrary, { signal: makeSignal() }))).toMatchObject(aborted);
    await sender.close();
    expect(server.requests).toEqual([]);
  });

  test('that can be read only once aborts a delivery by its listener', async () => {
    const { server, sender } = await openBoth(staySilent);
    let reads = 0;
    let tell: (() => void) | undefined;
    const signal = Object.defineProperty(
      signalWith({ addEventListener: (_: string, listener: () => void) => (tell = listener) }),
      'aborted',
      { get: () => (reads += 1) > 1 && throwing() },
    );

    const sent = rejection(sender.send(arbitrary, { signal }));
    await server.request(0);
    tell!();

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'unknown' });
  });

  test('that is aborted while a delivery waits counts, also if the sender is then closed by force', async () => {
    const { sender } = await openBoth(staySilent, { maxConnections: 1 });
    const controller = new AbortController();

    const first = rejection(sender.send(arbitrary));
    const second = rejection(sender.send(arbitrary, { signal: controller.signal }));
    controller.abort(reason);
    await sender.close({ force: true });

    expect(await first).toMatchObject({ cause: { code: 'PLANT_STORE_SENDER_CLOSED' } });
    expect(await second).toMatchObject({ code: 'PLANT_STORE_ABORTED', cause: reason });
  });

  test('gets one listener for many deliveries, and none after them', async () => {
    const { server, sender } = await openBoth(staySilent);
    const controller = new AbortController();
    const { signal } = controller;

    const sent = Array.from({ length: 50 }, () => rejection(sender.send(arbitrary, { signal })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await server.request(49);
    controller.abort(reason);

    expect((await Promise.all(sent)).map(({ cause }) => cause)).toEqual(Array(50).fill(reason));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
