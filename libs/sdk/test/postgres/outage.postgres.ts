import { once } from 'node:events';
import { afterThisTest } from '@plant-store/test-support';
import { withPostgres } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';
import { PlantStoreError } from '../../src/index.js';
import type { OutboxDatabase, ParkedNotice, RelayRetry } from '../../src/outbox/index.js';
import {
  lost,
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

/** Sends ten times, a little later each time. */
const tenTimes: RelayRetry = ({ attempt }) => (attempt <= 10 ? 2 ** attempt : undefined);

withPostgres('a relay whose receiver is down', () => {
  test.each([302, 401, 403, 404, 405, 408, 425, 429, 500, 503])(
    'parks nothing while it responds with %i, says so once, and sends all of it afterwards',
    async (status) => {
      const { pool, outbox } = await openTestOutbox();
      await pool.query(ENQUEUE_MANY);
      const published = watchChannel('plant-store:outbox:outage');
      const reported: Error[] = [];
      const sender = new RecordingSender((_text, index) => {
        if (index < 60) throw refusal(status);
      });
      const onError = (error: Error): unknown => reported.push(error);
      await startRelay({ outbox, sender, concurrency: 64, retry: tenTimes, onError });
      await untilSettled(pool);

      expect(await outbox.status()).toMatchObject({ parked: 0 });
      expect(new Set(sender.texts).size).toBe(2_000);
      expect(reported).toMatchObject([{ status }]);
      expect(published).toMatchObject([{ part: 'endpoint', error: { status } }, { part: 'endpoint' }]);
    },
  );

  test('begins fewer at a time, and all of them once there is a response, without a policy', async () => {
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
    await sender.count(8 + 4 + 2);

    expect(most).toBe(8);
    most = 0;
    await sender.count(8 + 4 + 2 + 2);
    expect(most).toBe(1);
    isUp = true;
    await untilSettled(pool);

    expect(most).toBe(8);
    expect(await outbox.listParked()).toEqual([]);
    const { rows } = await pool.query('SELECT DISTINCT attempts FROM plant_store_outbox.entry');
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  test('sends new entries while one that it began in the outage does not end', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const sender = new RecordingSender((text, index) => {
      if (text === 'hangs') return new Promise<void>(afterThisTest);
      if (index < 3) throw unreachable();
      return undefined;
    });
    await enqueue('hangs', 'one', 'two', 'three', 'four', 'five', 'six');
    await startRelay({ outbox, sender, concurrency: 2 });

    await untilNone(pool, `SELECT 1 FROM plant_store_outbox.entry WHERE id > 1 AND state <> 'delivered'`);

    expect(await outbox.status()).toMatchObject({ waiting: 0, sending: 1, parked: 0 });
  });

  test('sends new entries before those that it refuses again and again', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const sender = new RecordingSender((text) => {
      if (text.startsWith('refused')) throw refusal(403);
    });
    const refused = Array.from({ length: 12 }, (_, index) => `refused ${index}`);
    await enqueue(...refused);
    await startRelay({ outbox, sender, concurrency: 8, retry: () => 1 });
    await sender.count(15);
    const before = sender.sent.length;

    await enqueue('healthy');
    await untilNone(pool, `SELECT 1 FROM plant_store_outbox.entry WHERE id = 13 AND state <> 'delivered'`);

    expect(sender.sent.length - before).toBeLessThan(10);
    expect(await outbox.listParked()).toEqual([]);
  });

  test.each([
    ['it was not reached in the time of the sender', undefined, ['endpoint', 'endpoint']],
    ["the sender's own queue was full", 0, []],
  ])('knows whether it fails if %s', async (_case, attempts, parts) => {
    const { pool, enqueue } = await openTestOutbox();
    const published = watchChannel('plant-store:outbox:outage');
    const timeout = new PlantStoreError('PLANT_STORE_TOTAL_TIMEOUT', 'Slow.', { outcome: 'not-sent' });
    const sender = new RecordingSender((_text, index) => {
      if (index < 6) throw Object.assign(timeout, attempts === undefined ? {} : { attempts });
    });
    await enqueue('1', '2', '3', '4', '5', '6');

    await startRelay({ outbox: { database: pool }, sender });
    await untilSettled(pool);

    expect(published).toMatchObject(parts.map((part) => ({ part })));
  });

  test('finds the one that works among many that are refused', async () => {
    const { pool, enqueue } = await openTestOutbox();
    const sender = new RecordingSender((text) => {
      if (text === 'refused') throw refusal(404);
    });
    await enqueue(...Array.from({ length: 40 }, () => 'refused'), 'healthy');
    await startRelay({ outbox: { database: pool }, sender, concurrency: 1, retry: () => 1 });

    await untilNone(pool, `SELECT 1 FROM plant_store_outbox.entry WHERE id = 41 AND state <> 'delivered'`);

    expect(sender.texts.indexOf('healthy')).toBeLessThan(20);
  });

  test('parks at once what its content causes, and is not slowed down by it', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query(ENQUEUE_MANY);
    const tooLarge = new PlantStoreError('PLANT_STORE_CONTENT_TOO_LARGE', 'Large.', { outcome: 'not-sent' });
    const published = watchChannel('plant-store:outbox:outage');
    const sender = new RecordingSender((text) => {
      throw Number(text) % 2 === 0 ? tooLarge : refusal(422);
    });

    await startRelay({
      outbox,
      sender,
      retry: ({ error }) => (error.outcome === 'not-sent' ? 0 : undefined),
    });
    await untilSettled(pool);

    expect(sender.sent).toHaveLength(2_000);
    expect(published).toEqual([]);
  });

  test.each([
    ['has no response', lost()],
    ['fails in another way', new TypeError('arbitrary')],
  ])('parks few if its sender %s, and the policy allows no duplicates', async (_case, error) => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query(ENQUEUE_MANY);
    const published = watchChannel('plant-store:outbox:outage');
    const sender = new RecordingSender((_text, index) => {
      if (index < 6) throw error;
    });

    const retry: RelayRetry = ({ outcome }) => (outcome === 'unknown' ? undefined : 1);
    await startRelay({ outbox, sender, concurrency: 4, retry });
    await untilSettled(pool);

    expect(sender.sent).toHaveLength(2_000);
    expect(await outbox.status()).toMatchObject({ parked: 6 });
    expect(published).toMatchObject([{ part: 'endpoint', error }, { part: 'endpoint' }]);
  });
});

withPostgres('a relay whose database has another clock', () => {
  /** As after a clock that was an hour ahead was set back. */
  const HOUR_AHEAD = `UPDATE plant_store_outbox.entry SET enqueued_at = enqueued_at + interval '1 h',
    failed_at = failed_at + interval '1 h', due_at = due_at + interval '1 h'`;

  test('sends what was never tried, and what would wait for that clock, and says so once', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('tried 1', 'tried 2');
    const first = new RecordingSender(() => {
      throw refusal(503);
    });
    const relay = await startRelay({ outbox, sender: first, retry: () => 3_000_000 });
    await untilNone(pool, 'SELECT 1 FROM plant_store_outbox.entry WHERE attempts = 0');
    await relay.stop();
    await enqueue('new');
    await pool.query(HOUR_AHEAD);

    const reported: Error[] = [];
    const sender = new RecordingSender();
    await startRelay({ outbox, sender, onError: (error) => reported.push(error) });
    await untilSettled(pool);

    expect(sender.texts.toSorted()).toEqual(['new', 'tried 1', 'tried 2']);
    expect(reported).toMatchObject([
      { code: 'PLANT_STORE_OUTBOX_CLOCK', message: expect.stringMatching(/sent now\. Entries: 2\.$/) },
    ]);
  });

  test('notices while it runs that the clock was set back', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('arbitrary');
    const sender = new RecordingSender((_text, index) => {
      if (index === 0) throw refusal(503);
    });
    await startRelay({ outbox, sender, retry: () => 3_000_000 });
    await untilNone(pool, 'SELECT 1 FROM plant_store_outbox.entry WHERE attempts = 0');

    await pool.query(HOUR_AHEAD);
    await untilSettled(pool);

    expect(sender.sent).toHaveLength(2);
  });
});

withPostgres('a relay in the process of an application', () => {
  test('reads what it stored, whatever the application has set in pg', async () => {
    for (const oid of Object.values(pg.types.builtins)) {
      const parser = pg.types.getTypeParser(oid) as (text: string) => unknown;
      afterThisTest(() => pg.types.setTypeParser(oid, parser));
    }
    for (const oid of Object.values(pg.types.builtins)) pg.types.setTypeParser(oid, () => 17n);
    pg.defaults.binary = true;
    afterThisTest(() => (pg.defaults.binary = false));
    const { pool, outbox, enqueue } = await openTestOutbox();
    expect(await outbox.migrate()).toBe(1);
    await enqueue('delivered', 'parked');
    const sender = new RecordingSender((text) => {
      if (text === 'parked') throw refusal(400);
    });
    await startRelay({ outbox, sender });
    await untilNone(
      pool,
      `SELECT 1 FROM plant_store_outbox.entry WHERE state NOT IN ('delivered', 'parked')`,
    );

    expect(sender.texts.toSorted()).toEqual(['delivered', 'parked']);
    expect(await outbox.status()).toMatchObject({ waiting: 0, parked: 1 });
    expect(await outbox.listParked()).toMatchObject([{ id: 2, attempts: 1 }]);
    expect(String((await outbox.find(2))!.content)).toBe('parked');
    expect(await outbox.replay('all')).toBe(1);
  });

  test.each<[string, () => never]>([
    [
      'throws before it returns a promise',
      () => {
        throw new TypeError('arbitrary');
      },
    ],
    [
      'throws what fails when it is read',
      () => {
        const get = (): never => {
          throw new TypeError('arbitrary');
        };
        throw Object.defineProperty(refusal(503), 'failure', { get });
      },
    ],
  ])('parks an entry whose sender %s, and stops', async (_case, sendEncoded) => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('arbitrary');
    const relay = await startRelay({ outbox, sender: { sendEncoded }, retry: () => 0 });
    await untilSettled(pool);

    await relay.stop();

    expect(await outbox.listParked()).toMatchObject([{ attempts: 1, outcome: 'unknown' }]);
  });

  test('reports what it can not read, and goes on', async () => {
    const { pool, enqueue } = await openTestOutbox();
    let isBroken = true;
    const database: OutboxDatabase = {
      connect: () => pool.connect(),
      query: (statement) =>
        isBroken && statement.text.includes('.step(')
          ? Promise.resolve({ rows: [{ entry: 17n, content: null }] })
          : pool.query(statement),
    };
    const sender = new RecordingSender();
    const errors = new AbortController();
    const reported = once(errors.signal, 'abort');
    await enqueue('arbitrary');

    await startRelay({ outbox: { database }, sender, onError: () => errors.abort() });
    await reported;
    isBroken = false;
    await untilSettled(pool);

    expect(sender.texts).toEqual(['arbitrary']);
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

    const total = (reason: string): number =>
      notices.filter((notice) => notice.reason === reason).reduce((sum, { count }) => sum + count, 0);
    expect([total('PLANT_STORE_NOT_ACKNOWLEDGED'), total('TypeError')]).toEqual([2, 1]);
    expect(published).toEqual(notices);
    expect(notices.flatMap(({ ids }) => ids).toSorted()).toEqual([1, 2, 3]);
  });
});
