/** How the name of a receiver becomes a connection. */
import dns, { type LookupAddress } from 'node:dns';
import { EventEmitter, once } from 'node:events';
import { afterThisTest } from '@plant-store/test-support';
import { acknowledge, startRawServer } from './support/raw-server.js';
import { arbitrary, openTestSender, rejection } from './support/senders.js';

type Callback = (error: Error | null, addresses: LookupAddress[]) => void;

/** The system's resolver, until the test ends: with these addresses for every name, or without any answer. */
function resolveTo(addresses?: LookupAddress[]): EventEmitter {
  const { lookup } = dns;
  const resolver = new EventEmitter();
  const replacement = (_name: string, _options: object, callback: Callback): void => {
    resolver.emit('asked');
    if (addresses !== undefined) setImmediate(callback, null, addresses);
  };
  dns.lookup = replacement as unknown as typeof lookup;
  afterThisTest(() => void (dns.lookup = lookup));
  return resolver;
}

const v4: LookupAddress = { address: '127.0.0.1', family: 4 };
const v6: LookupAddress = { address: '::1', family: 6 };

test.each([
  ['first', [v6, v4]],
  ['second', [v4, v6]],
])('a receiver gets the delivery though nobody listens on the %s of its addresses', async (_, addresses) => {
  const server = await startRawServer(acknowledge);
  resolveTo(addresses);

  const sender = openTestSender({ baseUrl: `http://localhost:${server.port}` });

  expect(await sender.send(arbitrary)).toMatchObject({ status: 204 });
  expect(server.requests).toHaveLength(1);
});

test('a receiver that listens on none of its addresses: the error names each of them', async () => {
  resolveTo([v6, v4]);
  // Nobody may listen on port 1 without asking for it.
  const error = await rejection(openTestSender({ baseUrl: 'http://localhost:1' }).send(arbitrary));

  expect(error).toMatchObject({ code: 'PLANT_STORE_CONNECT_FAILED', outcome: 'not-sent' });
  for (const address of ['[::1]:1', '127.0.0.1:1']) expect(error.message).toContain(address);
});

describe('while the name is resolved', () => {
  const baseUrl = 'http://localhost:1';

  // undici looks at this clock twice a second.
  test('connectTimeout ends the attempt, and close does not wait for the resolver', async () => {
    resolveTo();
    const sender = openTestSender({ baseUrl, connectTimeout: 50 });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_CONNECT_TIMEOUT',
      outcome: 'not-sent',
      message: expect.stringContaining('within 50 ms') as string,
    });
    await sender.close();
  });

  test('attemptTimeout ends the attempt, and close does not wait for the resolver', async () => {
    resolveTo();
    const sender = openTestSender({ baseUrl, connectTimeout: 600_000, attemptTimeout: 50 });

    expect(await rejection(sender.send(arbitrary))).toMatchObject({
      code: 'PLANT_STORE_ATTEMPT_TIMEOUT',
      outcome: 'not-sent',
    });
    await sender.close();
  });

  test('close with force ends the delivery, which was not sent', async () => {
    const asked = once(resolveTo(), 'asked');
    const sender = openTestSender({ baseUrl, connectTimeout: 600_000 });
    const sent = rejection(sender.send(arbitrary));
    await asked;

    await sender.close({ force: true });

    expect(await sent).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent' });
  });
});
