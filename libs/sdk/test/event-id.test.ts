import type { OutgoingRequest } from '../src/index.js';
import { arrived, unsent } from './support/senders.js';

const given = { 'event-identity': { header: 'Example-Id' } } as const;

test.each([undefined, null, '', 1, ' a', 'a ', 'a\r\nb: c', 'ä', 'a\tb'])(
  'the identifier of an event is not %j',
  async (eventId) => {
    expect(await unsent({ given, sendOptions: { eventId } })).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      faults: [{ option: 'eventId', question: 'event-identity' }],
    });
  },
);

test('the identifier of an event is missing where nothing is passed', async () => {
  expect((await unsent({ given })).message).toContain('`eventId` is missing');
});

test.each(['1', 'a b', 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'])(
  'the identifier of an event may be %j, and the headers function sees it',
  async (eventId) => {
    const seen: OutgoingRequest[] = [];
    const headers = (delivery: OutgoingRequest): object => (seen.push(delivery), {});

    const request = await arrived({ given, options: { headers }, sendOptions: { eventId } });

    expect(request.headers).toContain(`Example-Id: ${eventId}`);
    expect(seen).toMatchObject([{ eventId }]);
  },
);
