import { makeLatch } from '../../test/make-latch.js';
import { type Family, parseMetrics } from '../../test/parse-metrics.js';
import { recordLog } from '../../test/record-log.js';
import { Counters } from '../counters.js';
import type { InboxStats } from '../inbox/inbox-operations.js';
import { type Measured, Metrics } from './metrics.js';

const STATS: InboxStats = {
  waiting: 3,
  running: 2,
  handled: 5,
  parked: 7,
  discarded: 11,
  retrying: 17,
  oldestWaitingAt: null,
  nextRetryAt: null,
  now: 1_000_000,
  bytes: 13,
  isPaused: false,
};

const read = async (metrics: Metrics): Promise<ReadonlyMap<string, Family>> =>
  parseMetrics(await metrics.text());

/** Values by name and labels, of one metric. */
const valuesOf = (families: ReadonlyMap<string, Family>, name: string): Record<string, number> =>
  Object.fromEntries(
    families
      .get(name)!
      .samples.map(({ name: full, labels, value }) => [
        [full.slice(name.length), ...Object.values(labels)].join(' ').trim(),
        value,
      ]),
  );

const MEASURED: Measured = {
  stats: async () => STATS,
  reasons: async () => [],
  freeBytes: async () => 19,
  areTokensCurrent: () => true,
};

const start = (measured: Partial<Measured> = {}, counters: Counters = new Counters()): Metrics =>
  new Metrics(counters, { ...MEASURED, ...measured }, recordLog().logger);

test('has the metrics of the process, with the delay of the event loop', async () => {
  const names = [...(await read(start())).keys()];

  expect(names).toEqual(
    expect.arrayContaining([
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ]),
  );
});

test('has what was counted', async () => {
  const counters = new Counters();
  for (const status of [204, 204, 401]) counters.responded(status);
  counters.acknowledged(0.5);
  counters.acknowledged(20_000);
  counters.committed(2, 3);
  counters.committed(1_001, 0.1);
  counters.attempted('handled', 4);
  counters.attempted('handled', 40_000);
  counters.attempted('parked', 1);
  const families = await read(start(undefined, counters));

  const responses = { '204': 2, '401': 1, '500': 0, '503': 0 };
  expect(valuesOf(families, 'plant_store_http_requests_total')).toEqual(responses);
  expect(valuesOf(families, 'plant_store_acknowledgement_seconds')).toMatchObject({
    '_bucket 0.0005': 1,
    '_bucket 10': 1,
    '_bucket +Inf': 2,
    _sum: 20.0005,
  });
  expect(valuesOf(families, 'plant_store_commit_seconds')).toMatchObject({
    '_bucket 0.0005': 1,
    '_bucket 0.0025': 1,
    '_bucket 0.005': 2,
    _count: 2,
  });
  expect(valuesOf(families, 'plant_store_commit_deliveries')).toMatchObject({
    '_bucket 1': 0,
    '_bucket 2': 1,
    '_bucket 1000': 1,
    _sum: 1_003,
  });
  expect(valuesOf(families, 'plant_store_handler_attempts_total')).toEqual({
    handled: 2,
    failed: 0,
    parked: 1,
  });
  expect(valuesOf(families, 'plant_store_handler_attempt_seconds')).toMatchObject({
    '_bucket 0.005': 2,
    '_bucket 30': 2,
    '_bucket 60': 3,
  });
});

test('has the state of the inbox', async () => {
  const metrics = start({
    stats: async () => ({ ...STATS, oldestWaitingAt: STATS.now - 5_000, isPaused: true }),
  });
  const families = await read(metrics);

  expect(valuesOf(families, 'plant_store_deliveries')).toEqual({
    waiting: 3,
    running: 2,
    handled: 5,
    parked: 7,
    discarded: 11,
    retrying: 17,
  });
  expect(valuesOf(families, 'plant_store_inbox_bytes')).toEqual({ '': 13 });
  expect(valuesOf(families, 'plant_store_handler_paused')).toEqual({ '': 1 });
  expect(valuesOf(families, 'plant_store_oldest_waiting_seconds')).toEqual({ '': 5 });
});

test('says whether the receiver is ready, how much space is left, and whether the tokens are those of their file', async () => {
  const ready = await read(start());
  expect(valuesOf(ready, 'plant_store_ready')).toEqual({ '': 1 });
  expect(valuesOf(ready, 'plant_store_disk_free_bytes')).toEqual({ '': 19 });
  expect(valuesOf(ready, 'plant_store_access_tokens_current')).toEqual({ '': 1 });

  const failing = await read(
    start({
      reasons: async () => ['It is stopping.'],
      freeBytes: () => Promise.reject(new Error()),
      areTokensCurrent: () => false,
    }),
  );
  expect(valuesOf(failing, 'plant_store_ready')).toEqual({ '': 0 });
  expect(valuesOf(failing, 'plant_store_disk_free_bytes')).toEqual({});
  expect(valuesOf(failing, 'plant_store_access_tokens_current')).toEqual({ '': 0 });
});

test('however often it is asked, it looks at the inbox once in a second', async () => {
  let count = 0;
  const metrics = start({
    stats: async () => {
      count += 1;
      return STATS;
    },
  });
  await Promise.all(Array.from({ length: 10 }, () => metrics.text()));

  expect(count).toBe(1);
});

test('an inbox that cannot be read leaves its gauges out, and the log says why', async () => {
  const log = recordLog();
  const counters = new Counters();
  counters.responded(503);
  const metrics = new Metrics(
    counters,
    { ...MEASURED, stats: () => Promise.reject(new Error('It is damaged.')) },
    log.logger,
  );
  const families = await read(metrics);

  expect(valuesOf(families, 'plant_store_http_requests_total')).toMatchObject({ '503': 1 });
  for (const name of [
    'plant_store_deliveries',
    'plant_store_inbox_bytes',
    'plant_store_oldest_waiting_seconds',
    'plant_store_handler_paused',
  ])
    expect(valuesOf(families, name)).toEqual({});
  expect(log.lines).toMatchObject([
    { msg: 'failed to read the inbox for the metrics', err: { message: 'It is damaged.' } },
  ]);
});

test('an inbox that does not respond leaves its gauges out', async () => {
  const latch = makeLatch();
  const hanging = (): Promise<InboxStats> => latch.opened.then(() => STATS);
  const counters = new Counters();
  counters.responded(204);
  const metrics = new Metrics(counters, { ...MEASURED, stats: hanging }, recordLog().logger, 10);
  const families = await read(metrics);

  expect(valuesOf(families, 'plant_store_http_requests_total')).toMatchObject({ '204': 1 });
  expect(valuesOf(families, 'plant_store_inbox_bytes')).toEqual({});
  latch.open();
});
