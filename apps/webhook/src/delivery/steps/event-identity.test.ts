import 'reflect-metadata';

import { runReceiver } from '../../../test/run-receiver.js';
import type { ReceivedDelivery } from '../pipeline.js';
import { takeEventIdFromContent } from './event-identity.js';

const event = {
  id: 'one',
  'a/b': 2,
  'm~n': 'three',
  list: ['zero', { id: 'four' }],
  '': 'five',
  '~1': 'six',
};

test.each([
  { pointer: '/id', want: 'one' },
  { pointer: '/a~1b', want: '2' },
  { pointer: '/m~0n', want: 'three' },
  { pointer: '/list/1/id', want: 'four' },
  { pointer: '/list/0', want: 'zero' },
  { pointer: '/', want: 'five' },
  { pointer: '/~01', want: 'six' },
  { pointer: '/list/00', want: undefined },
  { pointer: '/list/-', want: undefined },
  { pointer: '/list/length', want: undefined },
  { pointer: '/id/length', want: undefined },
  { pointer: '/toString/name', want: undefined },
  { pointer: '/list', want: undefined },
])('$pointer is $want', ({ pointer, want }) => {
  const delivery = { json: event, eventId: null } as unknown as ReceivedDelivery;
  const take = (): unknown => takeEventIdFromContent(pointer)(delivery);

  if (want === undefined) expect(take).toThrow('event-id-missing');
  else {
    take();
    expect(delivery.eventId).toBe(want);
  }
});

test.each([
  { place: { header: 'event-id' }, send: (id: string) => ({ fields: { 'event-id': id } }) },
  { place: { pointer: '/id' } as const, send: (id: string) => ({ content: JSON.stringify({ id }) }) },
])('an event that comes again is acknowledged, and kept once: $place', async ({ place, send }) => {
  const receiver = await runReceiver({ 'event-identity': place });
  for (const id of ['one', 'two', 'one']) {
    expect((await receiver.send(send(id))).status).toBe(204);
  }

  expect(receiver.stored().map(({ eventId }) => eventId)).toEqual(['one', 'two']);
});
