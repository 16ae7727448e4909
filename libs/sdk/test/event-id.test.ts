import type { Answers } from '@plant-store/contract';
import { bytes, InvalidOptionsError, type OutgoingRequest, type SendOptions } from '../src/index.js';
import { acknowledge, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, openSenderUnder, rejection } from './support/senders.js';

const given = { 'event-identity': { header: 'Example-Id' } } as const satisfies Answers;
const options = { accessToken, method: 'POST', encode: bytes() } as const;

describe('the identifier of an event', () => {
  test.each([undefined, null, '', 1, ' a', 'a ', 'a\r\nb: c', 'ä', 'a\tb'])('is not %j', async (eventId) => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url });

    const error = await rejection(sender.send(arbitrary, { eventId } as SendOptions<typeof given>));

    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect(error).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      outcome: 'not-sent',
      faults: [{ option: 'eventId', question: 'event-identity' }],
    });
    expect(server.requests).toEqual([]);
  });

  test('is missing where nothing is passed', async () => {
    const server = await startRawServer(acknowledge);
    const sender = openSenderUnder(given, { ...options, baseUrl: server.url });
    const unchecked = sender as unknown as { send(content: string): Promise<unknown> };

    expect((await rejection(unchecked.send(arbitrary))).message).toContain('`eventId` is missing');
  });

  test.each(['1', 'a b', 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'])(
    'may be %j, and the headers hook sees it',
    async (eventId) => {
      const server = await startRawServer(acknowledge);
      const seen: OutgoingRequest[] = [];
      const sender = openSenderUnder(given, {
        ...options,
        baseUrl: server.url,
        headers: (delivery) => {
          seen.push(delivery);
          return {};
        },
      });

      await sender.send(arbitrary, { eventId });

      expect((await server.request(0)).headers).toContain(`Example-Id: ${eventId}`);
      expect(seen).toMatchObject([{ eventId }]);
    },
  );
});
