import { Counters } from '../counters.js';
import { Activity } from './activity.js';

const MINUTE = 60_000;
const BACKLOG = { waiting: 3, retrying: 2, parked: 1 };

/** What a receiver did, by a clock that stands still until it is set. */
function make(stats = () => Promise.resolve(BACKLOG)) {
  const clock = { now: 10 * MINUTE + 5_000 };
  const counters = new Counters(() => clock.now);
  return { clock, counters, activity: new Activity(counters, stats, () => clock.now) };
}

test('it has the present minute, with the backlog', async () => {
  const { activity, counters } = make();
  counters.acknowledged(1);
  counters.acknowledged(1);
  for (let milliseconds = 1; milliseconds <= 100; milliseconds += 1)
    counters.attempted('handled', milliseconds);

  await activity.look();

  expect(activity.read()).toEqual({
    minutes: [
      {
        ...{ startedAt: 10 * MINUTE, received: 2, attempts: 100 },
        ...{ p50: expect.any(Number), p95: expect.any(Number) },
        ...BACKLOG,
      },
    ],
    refused: [],
    lastRefused: [],
  });
});

test('a percentile is not too short, and at most a fifth too long', () => {
  const { activity, counters } = make();
  for (let milliseconds = 1; milliseconds <= 100; milliseconds += 1)
    counters.attempted('handled', milliseconds);
  const [{ p50, p95 } = { p50: 0, p95: 0 }] = activity.read().minutes;

  for (const [found, exact] of [
    [p50!, 50],
    [p95!, 95],
  ] as const) {
    expect(found).toBeGreaterThanOrEqual(exact);
    expect(found).toBeLessThan(exact * 1.2);
  }
});

test.each([0, 1e-9, 1e12])('an attempt of %p ms is counted', (milliseconds) => {
  const { activity, counters } = make();
  counters.attempted('handled', milliseconds);

  expect(activity.read().minutes).toMatchObject([{ attempts: 1, p50: expect.any(Number) }]);
});

test('it remembers the minutes of an hour, and goes on if the clock is set back', async () => {
  const { activity, counters, clock } = make();
  const { now } = clock;
  for (let minute = 0; minute < 100; minute += 1) {
    clock.now = now + minute * MINUTE;
    await activity.look();
    counters.acknowledged(1);
  }
  clock.now = now;
  counters.acknowledged(1);

  const { minutes } = activity.read();
  expect(minutes).toHaveLength(60);
  expect(minutes[0]).toMatchObject({ startedAt: 50 * MINUTE, received: 1, p50: null, waiting: 3 });
  expect(minutes.at(-1)).toMatchObject({ startedAt: 109 * MINUTE, received: 2 });
});

test('an inbox that cannot be read has no backlog, and is asked again', async () => {
  let asked = 0;
  const { activity } = make(async () => {
    asked += 1;
    if (asked === 1) throw new Error('arbitrary');
    return BACKLOG;
  });
  await activity.look();
  expect(activity.read().minutes).toMatchObject([{ waiting: null }]);
  await activity.look();
  await activity.look();

  expect([activity.read().minutes, asked]).toMatchObject([[BACKLOG], 2]);
});

test('refused requests are counted by status and reason, and the last fifty are remembered', () => {
  const { activity, counters, clock } = make();
  const { now } = clock;
  counters.refused(404, 'path-unknown', undefined);
  for (let second = 1; second <= 60; second += 1) {
    clock.now = now + second * 1_000;
    counters.refused(401, 'token-invalid', '192.0.2.1');
  }

  const { refused, lastRefused } = activity.read();
  expect(refused).toEqual([
    { status: 401, reason: 'token-invalid', count: 60, firstAt: now + 1_000, lastAt: now + 60_000 },
    { status: 404, reason: 'path-unknown', count: 1, firstAt: now, lastAt: now },
  ]);
  expect(lastRefused).toHaveLength(50);
  expect(lastRefused[0]).toEqual({
    status: 401,
    reason: 'token-invalid',
    at: now + 60_000,
    peer: '192.0.2.1',
  });
});
