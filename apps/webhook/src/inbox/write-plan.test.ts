import type { Delivery, IncomingDelivery, AttemptResult } from './inbox.js';
import { NO_LAG, Progress } from './progress.js';
import { planWrites, type Stored, type Write, type WritePlan } from './write-plan.js';

const NOW = 1_000_000;
const STORED: Stored = { lastId: 20, events: new Map([['kept', 7]]) };

const incoming: IncomingDelivery = {
  method: 'POST',
  mediaType: 'a/b',
  contentEncoding: null,
  eventId: null,
  fields: [],
  content: Buffer.from('arbitrary'),
};
const delivery = (id: number, failures = 0): Delivery => ({
  ...incoming,
  id,
  failures,
  suspect: false,
  receivedAt: 0,
});

const accept = (receivedAt: number, eventId: string | null = null): Write => ({
  kind: 'accept',
  incoming: { ...incoming, eventId },
  receivedAt,
});
const kept = (id: number, receivedAt: number, eventId: string | null = null): Delivery => ({
  ...incoming,
  id,
  failures: 0,
  suspect: false,
  receivedAt,
  eventId,
});
const settle = (id: number, result: AttemptResult, failures = 0): Write => ({
  kind: 'settle',
  delivery: delivery(id, failures),
  result,
});
const handled: AttemptResult = { kind: 'handled' };
const failed = (retryAfter: number): AttemptResult => ({ kind: 'failed', error: 'not yet', retryAfter });
const parked: AttemptResult = { kind: 'parked', error: 'no more' };

/** Handled through 10; 11 and after are claimed for the first time, up to `claimedThrough`. */
function progressThrough(claimedThrough: number): Progress {
  const progress = new Progress(10);
  for (let id = 11; id <= claimedThrough; id += 1) progress.claim(id);
  return progress;
}

const nothing: WritePlan = {
  ids: [],
  accepted: [],
  ended: new Set(),
  handledThrough: 10,
  waiting: [],
  parked: [],
  leavingBacklog: [],
};

test.each<{
  name: string;
  writes: Write[];
  want: Partial<WritePlan>;
  claimedThrough?: number;
  maxLag?: number;
}>([
  { name: 'nothing', writes: [], want: {} },
  {
    name: 'deliveries are numbered on',
    writes: [accept(1), accept(2)],
    want: {
      ids: [21, 22],
      accepted: [kept(21, 1), kept(22, 2)],
    },
  },
  {
    name: 'deliveries of events are numbered on',
    writes: [accept(1, 'a'), accept(2, 'b'), accept(3)],
    want: { ids: [21, 22, 23], accepted: [kept(21, 1, 'a'), kept(22, 2, 'b'), kept(23, 3)] },
  },
  {
    name: 'an event that is stored already',
    writes: [accept(1, 'kept'), accept(2)],
    want: { ids: [7, 21], accepted: [kept(21, 2)] },
  },
  {
    name: 'an event that comes several times',
    writes: [accept(1, 'a'), accept(2, 'b'), accept(3, 'a'), settle(11, handled), accept(4, 'b')],
    want: {
      ids: [21, 22, 21, 11, 22],
      accepted: [kept(21, 1, 'a'), kept(22, 2, 'b')],
      ended: new Set([11]),
      handledThrough: 11,
    },
  },
  {
    name: 'a change has no id',
    writes: [accept(1), { kind: 'change', change: { write: () => undefined } }, accept(2)],
    want: { ids: [21, 0, 22], accepted: [kept(21, 1), kept(22, 2)] },
  },
  {
    name: 'handled at the first attempt',
    writes: [settle(11, handled)],
    want: { ids: [11], ended: new Set([11]), handledThrough: 11 },
  },
  {
    name: 'handled before an earlier one',
    writes: [settle(12, handled)],
    want: { ids: [12], ended: new Set([12]), handledThrough: 10 },
  },
  {
    name: 'failed at the first attempt',
    writes: [settle(11, failed(1.5))],
    want: {
      ids: [11],
      ended: new Set([11]),
      handledThrough: 11,
      waiting: [{ id: 11, at: NOW + 2, failures: 1, error: 'not yet', suspect: false }],
    },
  },
  {
    name: 'interrupted',
    writes: [settle(5, { kind: 'failed', error: 'cut off', retryAfter: 7, suspect: true }, 2)],
    want: {
      ids: [5],
      waiting: [{ id: 5, at: NOW + 7, failures: 3, error: 'cut off', suspect: true }],
    },
  },
  {
    name: 'parked at the first attempt',
    writes: [settle(11, parked)],
    want: {
      ids: [11],
      ended: new Set([11]),
      handledThrough: 11,
      parked: [{ id: 11, at: NOW, failures: 1, error: 'no more' }],
    },
  },
  {
    name: 'from the backlog, handled',
    writes: [settle(5, handled, 2)],
    want: { ids: [5], leavingBacklog: [5] },
  },
  {
    name: 'from the backlog, failed again',
    writes: [settle(5, failed(7), 2)],
    want: { ids: [5], waiting: [{ id: 5, at: NOW + 7, failures: 3, error: 'not yet', suspect: false }] },
  },
  {
    name: 'from the backlog, parked',
    writes: [settle(5, parked, 2)],
    want: {
      ids: [5],
      leavingBacklog: [5],
      parked: [{ id: 5, at: NOW, failures: 3, error: 'no more' }],
    },
  },
  {
    name: 'each write has its id, in the order of the writes',
    writes: [settle(12, handled), accept(1), settle(5, handled, 1), accept(2), settle(11, handled)],
    want: {
      ids: [12, 21, 5, 22, 11],
      accepted: [kept(21, 1), kept(22, 2)],
      ended: new Set([12, 11]),
      handledThrough: 12,
      leavingBacklog: [5],
    },
  },
  {
    name: 'lagging by as much as it may',
    claimedThrough: 267,
    writes: [],
    want: { handledThrough: 10 },
  },
  {
    name: 'lagging by more',
    claimedThrough: 268,
    writes: [],
    want: {
      ended: new Set([11]),
      handledThrough: 11,
      waiting: [{ id: 11, at: NOW, failures: 0, error: null }],
    },
  },
  {
    name: 'lagging and handled at once',
    claimedThrough: 268,
    writes: [settle(11, handled)],
    want: {
      ids: [11],
      ended: new Set([11]),
      handledThrough: 11,
      waiting: [{ id: 11, at: NOW, failures: 0, error: null }],
      leavingBacklog: [11],
    },
  },
  {
    name: 'lagging and failed at once',
    claimedThrough: 268,
    writes: [settle(11, failed(1))],
    want: {
      ids: [11],
      ended: new Set([11]),
      handledThrough: 11,
      waiting: [
        { id: 11, at: NOW, failures: 0, error: null },
        { id: 11, at: NOW + 1, failures: 1, error: 'not yet', suspect: false },
      ],
    },
  },
  {
    name: 'no lag is allowed',
    maxLag: NO_LAG,
    writes: [],
    want: {
      ended: new Set([11, 12]),
      handledThrough: 12,
      waiting: [
        { id: 11, at: NOW, failures: 0, error: null },
        { id: 12, at: NOW, failures: 0, error: null },
      ],
    },
  },
])('plans: $name', ({ writes, want, claimedThrough = 12, maxLag }) => {
  const progress = progressThrough(claimedThrough);

  expect(planWrites(writes, STORED, progress, NOW, maxLag)).toEqual({ ...nothing, ...want });
});

test('changes nothing: planning again gives the same plan', () => {
  const progress = progressThrough(300);
  const writes = [settle(11, handled), settle(12, failed(1)), accept(1, 'new'), accept(2, 'new')];
  const plan = planWrites(writes, STORED, progress, NOW);

  expect(planWrites(writes, STORED, progress, NOW)).toEqual(plan);
  expect(STORED).toEqual({ lastId: 20, events: new Map([['kept', 7]]) });
});
