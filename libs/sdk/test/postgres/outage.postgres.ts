import { afterThisTest } from '@plant-store/test-support';
import { withPostgres } from '@plant-store/test-support/postgres-tests';
import { PlantStoreError } from '../../src/index.js';
import type { ParkedNotice } from '../../src/outbox/index.js';
import {
  openTestOutbox,
  RecordingSender,
  refusal,
  startRelay,
  untilNone,
  untilSettled,
  watchChannel,
} from './outboxes.js';

/** The error of a delivery to a receiver that nobody runs. */
const unreachable = (): PlantStoreError =>
  new PlantStoreError('PLANT_STORE_CONNECT_FAILED', 'Nobody listens.', { outcome: 'not-sent' });

const ENQUEUE_MANY = `INSERT INTO plant_store_outbox.entry (content)
  SELECT convert_to(n::text, 'UTF8') FROM generate_series(1, 2000) n`;

/** Time stands still, but for waits of 1 s and 2 s, which are over at once. Returns them. */
function useWaitsThatPassAtOnce(): number[] {
  const { setTimeout: set } = globalThis;
  const { random } = Math;
  const now = performance.now.bind(performance);
  let time = Math.ceil(now());
  const waits: number[] = [];
  const replaced = (callback: () => void, wait = 0, ...all: []): unknown => {
    if (wait !== 1_000 && wait !== 2_000) return set(callback, wait, ...all);
    waits.push(wait);
    time += wait;
    return set(callback, 0);
  };
  Math.random = () => 0;
  performance.now = () => time;
  globalThis.setTimeout = replaced as typeof set;
  afterThisTest(() => {
    Math.random = random;
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
    expect(await outbox.listParked()).toEqual([]);
    const { rows } = await pool.query('SELECT DISTINCT attempts FROM plant_store_outbox.entry');
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  test('keeps the outbox while its token is refused, says so once, and sends all with the right one', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query(ENQUEUE_MANY);
    const published = watchChannel('plant-store:outbox:outage');
    const reported: Error[] = [];
    let isRight = false;
    const sender = new RecordingSender(() => {
      if (!isRight) throw refusal(401);
    });
    await startRelay({ outbox, sender, concurrency: 8, onError: (error) => reported.push(error) });
    await sender.count(9);
    isRight = true;
    await untilSettled(pool);

    // It isn't known before the fifth.
    expect(await outbox.listParked()).toHaveLength(4);
    expect(reported).toMatchObject([{ status: 401 }]);
    expect(published).toMatchObject([{ part: 'endpoint', error: { status: 401 } }, { part: 'endpoint' }]);
  });

  test('stays slow after an unknown outcome, and is fast again after a refusal', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('one', 'two', 'three', 'four');
    const lost = new PlantStoreError('PLANT_STORE_CONNECTION_LOST', 'Lost.', { outcome: 'unknown' });
    const errors = [unreachable(), lost, refusal(422)];
    const sender = new RecordingSender((_text, index) => {
      if (index < errors.length) throw errors[index]!;
    });
    const waits = useWaitsThatPassAtOnce();

    await startRelay({ outbox, sender, concurrency: 1 });
    await untilSettled(pool);

    expect(waits).toEqual([1_000, 2_000]);
    // The first one was not sent, and waited.
    expect(await outbox.listParked()).toHaveLength(2);
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
    const published = watchChannel('plant-store:outbox:parked');
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
    expect(notices.flatMap(({ ids }) => ids).toSorted()).toEqual([1, 2, 3]);
  });
});
