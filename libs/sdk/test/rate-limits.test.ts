import type { ExecutableAnswers } from '@plant-store/contract';
import { bytes } from '../src/index.js';
import type { SenderOptionsUnder } from '../src/sender-under.js';
import { useClocks } from './support/clocks.js';
import { acknowledge, respond, startRawServer, textsOf } from './support/raw-server.js';
import { startProcess } from './support/run-process.js';
import { accessToken, arbitrary, openSenderUnder, rejection } from './support/senders.js';

const BUILT_SENDER = new URL('../dist/internal.js', import.meta.url).href;

type Given = Pick<ExecutableAnswers, 'rate-limits'>;
type RateLimit = Given['rate-limits'];
type Options = SenderOptionsUnder<string | Uint8Array, Given>;

function open(limit: RateLimit, baseUrl: string, options: Partial<Options> = {}) {
  return openSenderUnder<Given, string | Uint8Array>(
    { 'rate-limits': limit },
    { accessToken, method: 'POST', encode: bytes(), baseUrl, maxConnections: 1, ...options },
  );
}

const once: RateLimit = { deliveries: 1, seconds: 10 };
const reason = new Error('the reason of the caller');

describe('under a rate limit', () => {
  test('deliveries wait, and are sent in the order of their calls; close waits for them', async () => {
    const server = await startRawServer(acknowledge);
    const { running, runOut } = useClocks(10_000);
    const sender = open({ deliveries: 2, seconds: 10 }, server.url);
    const contents = ['1', '2', '3', '4', '5'];

    const sent = Promise.all(contents.map((content) => sender.send(content)));
    const closed = sender.close();
    for (const count of [2, 4]) {
      await running();
      expect(server.requests).toHaveLength(count);
      runOut();
    }
    await closed;

    expect(textsOf(server)).toEqual(contents);
    expect((await sent).map(({ status }) => status)).toEqual(Array(5).fill(204));
  });

  test('a delivery beyond the limit waits until totalTimeout runs out', async () => {
    const server = await startRawServer(acknowledge);
    const sender = open({ deliveries: 1, seconds: 600 }, server.url, { totalTimeout: 20_000 });
    await sender.send(arbitrary);
    const { runOut } = useClocks(20_000);

    const sent = rejection(sender.send(arbitrary));
    runOut();

    expect(await sent).toMatchObject({
      code: 'PLANT_STORE_TOTAL_TIMEOUT',
      outcome: 'not-sent',
      attempts: 0,
    });
    await sender.close();
    expect(server.requests).toHaveLength(1);
  });

  test('the signal ends the wait, and the next delivery moves up', async () => {
    const server = await startRawServer(acknowledge);
    const { running, runOut } = useClocks(10_000);
    const sender = open(once, server.url);
    const controller = new AbortController();

    await sender.send('1');
    const second = rejection(sender.send('2', { signal: controller.signal }));
    const third = sender.send('3');
    await running();
    controller.abort(reason);
    expect(await second).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent', cause: reason });
    runOut();
    await third;

    expect(textsOf(server)).toEqual(['1', '3']);
  });

  test('a delivery that waits for a connection has taken nothing of the limit', async () => {
    const server = await startRawServer((request, index) => (index === 0 ? undefined : acknowledge(request)));
    const sender = open({ deliveries: 2, seconds: 600 }, server.url);
    const controller = new AbortController();

    const first = sender.send('1');
    const second = rejection(sender.send('2', { signal: controller.signal }));
    const third = sender.send('3');
    const request = await server.request(0);
    controller.abort(reason);
    expect(await second).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent', attempts: 0 });
    acknowledge(request);
    await Promise.all([first, third]);

    expect(textsOf(server)).toEqual(['1', '3']);
  });

  test('close with force ends the wait for the limit', async () => {
    const server = await startRawServer(acknowledge);
    const sender = open({ deliveries: 1, seconds: 600 }, server.url, { maxConnections: 2 });
    await sender.send('1');
    const sent = ['2', '3', '4'].map((content) => rejection(sender.send(content)));

    await sender.close({ force: true });

    expect(await Promise.all(sent)).toEqual(
      Array(3).fill(
        expect.objectContaining({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent', attempts: 0 }),
      ),
    );
    expect(server.requests).toHaveLength(1);
  });

  test('no timer keeps the process running if nobody waits', async () => {
    const server = await startRawServer(acknowledge);
    const script = `
      import { createSenderUnder } from ${JSON.stringify(BUILT_SENDER)};
      const options = { accessToken: 'x', method: 'POST', encode: () => ({ content: 'x' }), baseUrl: process.argv[1] };
      const sender = createSenderUnder(options, { answers: { 'rate-limits': ${JSON.stringify(once)} } });
      await sender.send('x');
      const controller = new AbortController();
      const waiting = sender.send('x', { signal: controller.signal });
      controller.abort();
      await waiting.catch(({ code }) => console.log(code));`;

    const { stdout } = await startProcess(process.execPath, ['--input-type=module', '-e', script, server.url])
      .finished;

    expect(stdout).toBe('PLANT_STORE_ABORTED\n');
  });

  test('every attempt of a delivery counts', async () => {
    const server = await startRawServer(respond(503));
    const { running, runOut } = useClocks(10_000);
    const sender = open(once, server.url, {
      retry: { delays: [1], statuses: 'all', withoutResponse: true },
    });

    const sent = rejection(sender.send(arbitrary));
    await running();
    expect(server.requests).toHaveLength(1);
    runOut();

    expect(await sent).toMatchObject({ status: 503, attempts: 2 });
    expect(server.requests).toHaveLength(2);
  });
});
