import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterThisTest } from '@plant-store/test-support';
import { withPostgres } from '@plant-store/test-support/postgres-tests';
import { PlantStoreError } from '../../src/index.js';
import type { ParkedNotice } from '../../src/outbox/index.js';
import { openTestOutbox, RecordingSender, refusal, startRelay, untilNone, untilSettled } from './outboxes.js';

/** The error of a delivery to a receiver that nobody runs. */
const unreachable = (): PlantStoreError =>
  new PlantStoreError('PLANT_STORE_CONNECT_FAILED', 'Nobody listens.', { outcome: 'not-sent' });

const ENQUEUE_MANY = `INSERT INTO plant_store_outbox.entry (content)
  SELECT convert_to(n::text, 'UTF8') FROM generate_series(1, 2000) n`;

/** What the channel tells until the test ends. */
function watchChannel(): unknown[] {
  const told: unknown[] = [];
  const listener = (notice: unknown): void => void told.push(notice);
  subscribe('plant-store:outbox:parked', listener);
  afterThisTest(() => unsubscribe('plant-store:outbox:parked', listener));
  return told;
}

/** Time stands still, but for waits of 1 s and 2 s, which are over at once. Returns them. */
function useWaitsThatPassAtOnce(): number[] {
  const { setTimeout: set } = globalThis;
  const now = performance.now.bind(performance);
  let time = Math.ceil(now());
  const waits: number[] = [];
  const replaced = (callback: () => void, wait = 0, ...all: []): unknown => {
    if (wait !== 1_000 && wait !== 2_000) return set(callback, wait, ...all);
    waits.push(wait);
    time += wait;
    return set(callback, 0);
  };
  performance.now = () => time;
  globalThis.setTimeout = replaced as typeof set;
  afterThisTest(() => {
    performance.now = now;
    globalThis.setTimeout = set;
  });
  return waits;
}

withPostgres('a relay whose receiver is down', () => {
  test('sends one entry at a time, and all of them once there is a response', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query(ENQUEUE_MANY);
    let isUp = false;
    let [sending, most] = [0, 0];
    const sender = new RecordingSender(async () => {
      sending += 1;
      most = Math.max(most, sending);
      await new Promise((resolve) => setImmediate(resolve));
      sending -= 1;
      if (!isUp) throw unreachable();
    });
    await startRelay({ outbox, sender, concurrency: 8 });
    await sender.count(9);

    expect(most).toBe(8);
    most = 0;
    await sender.count(10);
    expect(most).toBe(1);
    isUp = true;
    await sender.count(2_000);
    await untilSettled(pool);

    expect(most).toBe(8);
    // The tenth was accepted.
    expect(await outbox.listParked()).toHaveLength(9);
  });

  test('stays slow after an unknown outcome, and is fast again after a refusal', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('one', 'two', 'three', 'four');
    const lost = new PlantStoreError('PLANT_STORE_CONNECTION_LOST', 'Lost.', { outcome: 'unknown' });
    const errors = [unreachable(), lost, refusal(503)];
    const sender = new RecordingSender((_text, index) => {
      if (index < errors.length) throw errors[index]!;
    });
    const waits = useWaitsThatPassAtOnce();

    await startRelay({ outbox, sender, concurrency: 1 });
    await untilSettled(pool);

    expect(waits).toEqual([1_000, 2_000]);
    expect(await outbox.listParked()).toHaveLength(3);
  });

  test('is not assumed after an error of single entries', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query(ENQUEUE_MANY);
    const tooLarge = new PlantStoreError('PLANT_STORE_CONTENT_TOO_LARGE', 'Large.', { outcome: 'not-sent' });
    const sender = new RecordingSender(() => {
      throw tooLarge;
    });

    await startRelay({ outbox, sender });
    await untilSettled(pool);

    expect(sender.sent).toHaveLength(2_000);
  });
});

withPostgres('a relay that parks entries', () => {
  test('tells how many, and why, by its option and on a channel', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const notices: ParkedNotice[] = [];
    const published = watchChannel();
    const sender = new RecordingSender((text) => {
      if (text === 'refused') throw refusal(400);
      if (text === 'unknown') throw new TypeError('arbitrary');
    });
    await enqueue('refused', 'unknown', 'refused', 'accepted');

    await startRelay({ outbox, sender, onParked: (notice) => notices.push(notice) });
    await untilSettled(pool);
    await untilNone(pool, `SELECT 1 FROM plant_store_outbox.entry WHERE state = 'sending'`);

    const total = (reason: string): number =>
      notices.filter((notice) => notice.reason === reason).reduce((sum, { count }) => sum + count, 0);
    expect([total('PLANT_STORE_NOT_ACKNOWLEDGED'), total('TypeError')]).toEqual([2, 1]);
    expect(published).toEqual(notices);
  });
});
