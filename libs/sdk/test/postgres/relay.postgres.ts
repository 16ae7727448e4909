import { EventEmitter, once } from 'node:events';
import { setImmediate as immediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { exampleAnswers } from '@plant-store/example-answers';
import { afterThisTest } from '@plant-store/test-support';
import { startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';
import { InvalidOptionsError, PlantStoreError } from '../../src/index.js';
import {
  createRelay,
  type ListOptions,
  type OutboxError,
  type RelayOptions,
  type RelayRetry,
} from '../../src/outbox/index.js';
import { readRelayOptions } from '../../src/outbox/relay-options.js';
import { useClocks } from '../support/clocks.js';
import { acknowledge, inTurn, respond, startRawServer } from '../support/raw-server.js';
import {
  openInHaste,
  failingOnce,
  inTransaction,
  intercepting,
  lost,
  noDatabase,
  openOutbox,
  openOutboxUnder,
  openTestOutbox,
  RecordingSender,
  refusal,
  startRelay,
  untilNone,
  untilSettled,
  watchChannel,
} from './outboxes.js';
import { openNewDatabase, openPool } from './server.js';

function throwing(error: Error): () => never {
  return () => {
    throw error;
  };
}

/** A sender whose attempts wait until each is ended: by a call of its function, without or with an error. */
function holdingSender(): { sender: RecordingSender; end: ((error?: Error) => void)[] } {
  const end: ((error?: Error) => void)[] = [];
  const hold = (): Promise<void> =>
    new Promise((resolve, reject) => {
      end.push((error) => (error === undefined ? resolve() : reject(error)));
      // The relay, which was started before, waits for it.
      afterThisTest(resolve);
    });
  return { sender: new RecordingSender(hold), end };
}

withPostgres('a relay', () => {
  test('sends what was committed, with the bytes and the media type that were fixed', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const sender = new RecordingSender();
    await enqueue('before it started');
    await startRelay({ outbox, sender });
    await enqueue('after it started');
    await sender.count(2);

    await untilSettled(pool);

    expect(sender.texts).toEqual(['before it started', 'after it started']);
    expect(sender.sent[0]).toEqual({ content: Buffer.from('before it started') });
    expect(sender.given).toEqual([]);
    expect(await outbox.status()).toMatchObject({ waiting: 0, sending: 0, parked: 0 });
  });

  test('parks what was not acknowledged after one attempt, if there is no policy', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const sender = new RecordingSender(throwing(refusal(503)));
    await startRelay({ outbox, sender });
    await enqueue('arbitrary');
    await sender.count(1);

    await untilSettled(pool);

    expect(sender.sent).toHaveLength(1);
    expect(await outbox.listParked()).toEqual([
      {
        id: 1,
        enqueuedAt: expect.any(Date),
        state: 'parked',
        settledAt: expect.any(Date),
        bytes: 9,
        attempts: 1,
        outcome: 'responded',
        code: 'PLANT_STORE_NOT_ACKNOWLEDGED',
        error: expect.stringContaining('responded with 503'),
      },
    ]);
  });

  test('sends again as the policy says, the same bytes, and tells it the worst outcome', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const errors = [lost(), refusal(503), refusal(500)];
    const sender = new RecordingSender((_text, index) => throwing(errors[index]!)());
    const asked: unknown[] = [];
    const retry: RelayRetry = ({ attempt, error, outcome }) => {
      asked.push([attempt, error.outcome, outcome]);
      return attempt < 3 ? 1 : undefined;
    };
    await startRelay({ outbox, sender, retry });
    await enqueue('arbitrary');
    await sender.count(3);

    await untilSettled(pool);

    expect(asked).toEqual([
      [1, 'unknown', 'unknown'],
      [2, 'responded', 'unknown'],
      [3, 'responded', 'unknown'],
    ]);
    expect(new Set(sender.texts)).toEqual(new Set(['arbitrary']));
    expect(await outbox.listParked()).toMatchObject([{ attempts: 3, outcome: 'unknown' }]);
  });

  test("asks the policy about the errors of another copy's sender", async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const server = await startRawServer(inTurn(respond(503), acknowledge));
    import.meta.jest.resetModules();
    const copy = await import('../../src/index.js');
    expect(copy.PlantStoreError).not.toBe(PlantStoreError);
    const options = {
      baseUrl: server.url,
      accessToken: 'arbitrary',
      method: 'POST',
      encode: copy.bytes(),
    };
    const sender = copy.createNewPlantSender(options as never);
    afterThisTest(() => sender.close());
    const asked: unknown[] = [];
    const retry: RelayRetry = ({ attempt, error: { code }, outcome }) => {
      asked.push([attempt, code, outcome]);
      return 1;
    };
    await startRelay({ outbox, sender, retry });
    await enqueue('arbitrary');

    await server.request(1);
    await untilSettled(pool);

    expect(asked).toEqual([[1, 'PLANT_STORE_NOT_ACKNOWLEDGED', 'responded']]);
    expect(await outbox.listParked()).toEqual([]);
  });

  test('sends the identifier of the event with every attempt', async () => {
    const { pool } = await openTestOutbox();
    const outbox = openOutboxUnder({ 'event-identity': { header: 'example-id' } }, { database: pool });
    const sender = new RecordingSender((_text, index) => {
      if (index < 2) throw lost();
    });
    await startRelay({ outbox, sender, retry: () => 1 });
    await inTransaction(pool, (client) => outbox.enqueue(client, 'arbitrary', { eventId: 'example-1' }));

    await untilSettled(pool);

    expect(sender.sent).toEqual(
      Array.from({ length: 3 }, () => ({ content: Buffer.from('arbitrary'), eventId: 'example-1' })),
    );
  });

  test.each<[string, RelayRetry]>([
    ['throws', throwing(new Error('The policy fails.'))],
    ['returns no number', () => 'soon' as never],
    ['returns a negative number', () => -1],
    ['returns more than 100 years', () => 1e16],
    ['returns Infinity', () => Infinity],
    ['returns a promise that rejects', () => Promise.reject(new Error('The policy fails.')) as never],
  ])('parks an entry if its policy %s, and reports it', async (_case, retry) => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const sender = new RecordingSender(throwing(refusal(503)));
    const reported: Error[] = [];
    await startRelay({ outbox, sender, retry, onError: (error) => reported.push(error) });
    await enqueue('arbitrary');
    await sender.count(1);

    await untilSettled(pool);

    expect(await outbox.listParked()).toHaveLength(1);
    expect(reported).toHaveLength(1);
  });

  test.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['what cannot be printed', () => ({ [inspect.custom]: throwing(new Error('arbitrary')) })],
    ['an error whose message is no text', () => Object.assign(new Error('arbitrary'), { message: {} })],
    ['a frozen error', () => Object.freeze(refusal(422))],
    ...['message', 'code'].map((name): [string, () => unknown] => [
      `an error whose ${name} throws`,
      () => Object.defineProperty(new Error('arbitrary'), name, { get: throwing(new Error('arbitrary')) }),
    ]),
  ])('parks an entry if its sender throws %s', async (_case, make) => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const reported: Error[] = [];
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- It is not ours.
    const sender = new RecordingSender(() => Promise.reject(make()));
    await startRelay({ outbox, sender, retry: () => undefined, onError: (error) => reported.push(error) });
    await enqueue('arbitrary');
    await sender.count(1);

    await untilSettled(pool);

    expect([await outbox.listParked(), reported]).toEqual([[expect.anything()], []]);
  });

  test('has its parked entries replayed from the first attempt, or discarded', async () => {
    const { pool, outbox, enqueue, row } = await openTestOutbox();
    let isUp = false;
    const sender = new RecordingSender(() => {
      if (!isUp) throw refusal(503);
    });
    await startRelay({ outbox, sender });
    await enqueue('one', 'two', 'three', 'four');
    await sender.count(4);
    await untilSettled(pool);

    isUp = true;
    expect(await outbox.discard([2])).toBe(1);
    expect(await outbox.discard([2, 99])).toBe(0);
    expect(await outbox.replay([1])).toBe(1);
    await sender.count(5);
    expect(await outbox.replay('all')).toBe(2);
    await sender.count(7);
    await untilSettled(pool);

    expect(sender.texts.slice(4)).toEqual(['one', 'three', 'four']);
    expect(await outbox.listParked()).toEqual([]);
    expect(
      await row(
        `SELECT array_agg(state::text || attempts ORDER BY id) AS states FROM plant_store_outbox.entry`,
      ),
    ).toEqual({
      states: ['delivered1', 'discarded1', 'delivered1', 'delivered1'],
    });
  });

  test('has many parked entries replayed, each once, though some are parked again meanwhile', async () => {
    const { pool, row } = await openTestOutbox();
    await pool.query(`INSERT INTO plant_store_outbox.entry (state, settled_at, content)
      SELECT 'parked', now(), '' FROM generate_series(1, 1500)`);
    let batches = 0;
    const database = intercepting(pool, async (text) => {
      if (!text.includes('change_parked')) return;
      batches += 1;
      if (batches === 2)
        await pool.query(`UPDATE plant_store_outbox.entry SET state = 'parked' WHERE id <= 1000`);
    });

    expect(await openOutbox(database).replay('all')).toBe(1_500);
    expect(
      await row(`SELECT count(*)::int AS count FROM plant_store_outbox.entry WHERE state = 'parked'`),
    ).toEqual({
      count: 1_000,
    });
  });

  test('has its entries counted, and the time since when the oldest one waits', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('parked', 'first', 'second');
    await pool.query(`UPDATE plant_store_outbox.entry SET enqueued_at = '2026-01-31 12:00:00Z'::timestamptz +
      id * interval '1 s', state = (CASE id WHEN 1 THEN 'parked' ELSE 'waiting' END)::plant_store_outbox.state`);

    const waitingSince = new Date('2026-01-31T12:00:02Z');
    expect(await outbox.status()).toEqual({ waiting: 2, sending: 0, parked: 1, waitingSince });
  });

  test('lists parked entries page by page', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('one', 'two', 'three');
    await pool.query(`UPDATE plant_store_outbox.entry SET state = 'parked', settled_at = now(), outcome = 'unknown',
      code = 'arbitrary', error = 'arbitrary'`);

    const [first, second] = await outbox.listParked({ limit: 2 });

    expect([first!.id, second!.id]).toEqual([1, 2]);
    expect(await outbox.listParked({ after: 2 })).toMatchObject([{ id: 3 }]);
  });

  test('deletes delivered and discarded entries after `keepDelivered`, and no others', async () => {
    const { pool, outbox, enqueue, row } = await openTestOutbox();
    await enqueue('discarded long ago', 'delivered long ago', 'delivered now', 'parked', 'discarded now');
    await pool.query(`UPDATE plant_store_outbox.entry SET
      state = (ARRAY['discarded', 'delivered', 'delivered', 'parked', 'parked'])[id]::plant_store_outbox.state,
      settled_at = now() - CASE id WHEN 3 THEN interval '1 s' ELSE interval '2 h' END`);
    await outbox.discard([5]);

    await startRelay({ outbox, sender: new RecordingSender(), keepDelivered: 3_600_000 });
    await untilNone(pool, 'SELECT 1 FROM plant_store_outbox.entry WHERE id = 2');

    expect(await row('SELECT array_agg(id::int ORDER BY id) AS ids FROM plant_store_outbox.entry')).toEqual({
      ids: [3, 4, 5],
    });
  });

  test('goes on with the longest `keepDelivered` and the longest delay', async () => {
    const { pool, outbox, enqueue, row } = await openTestOutbox();
    const century = 3_155_760_000_000;
    const sender = new RecordingSender(throwing(refusal(503)));
    const reported: Error[] = [];
    await enqueue('arbitrary');

    await startRelay({
      outbox,
      sender,
      keepDelivered: century,
      retry: () => century,
      onError: (error) => reported.push(error),
    });
    await untilNone(pool, 'SELECT 1 FROM plant_store_outbox.entry WHERE attempts = 0');
    await enqueue('later');
    await untilNone(pool, 'SELECT 1 FROM plant_store_outbox.entry WHERE attempts = 0');

    expect(reported).toEqual([]);
    expect(sender.texts).toEqual(['arbitrary', 'later']);
    const years = `SELECT bool_and(due_at > now() + interval '99 years') AS late FROM plant_store_outbox.entry`;
    expect(await row(years)).toEqual({ late: true });
  });

  test('shares the work with others, and none is sent twice', async () => {
    const { pool, outbox } = await openTestOutbox();
    await pool.query(`INSERT INTO plant_store_outbox.entry (content)
      SELECT convert_to(n::text, 'UTF8') FROM generate_series(1, 2000) n`);
    const senders = [new RecordingSender(), new RecordingSender(), new RecordingSender()];
    for (const sender of senders) await startRelay({ outbox, sender, concurrency: 16 });

    await untilSettled(pool);

    const texts = senders.flatMap((sender) => sender.texts);
    expect(texts).toHaveLength(2_000);
    expect(new Set(texts).size).toBe(2_000);
  });

  test('sends an entry whose transaction took longer than others', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const sender = new RecordingSender();
    await startRelay({ outbox, sender });
    const slow = await pool.connect();
    await slow.query('BEGIN; SELECT pg_current_xact_id()');
    await outbox.enqueue(slow, 'slow');
    await enqueue('quick');
    await sender.count(1);
    await slow.query('COMMIT');
    slow.release();

    await sender.count(2);

    expect(sender.texts).toEqual(['quick', 'slow']);
    await untilSettled(pool);
  });

  test('takes nothing from one that lives, also if its attempt takes longer than a lease', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const { sender, end } = holdingSender();
    const other = new RecordingSender();
    await startRelay({ outbox, sender });
    await enqueue('arbitrary');
    await sender.count(1);
    await pool.query(`UPDATE plant_store_outbox.entry SET leased_at = now() - interval '1 h'`);
    const steps = new EventEmitter();
    const extended = (): Promise<unknown> => once(steps, 'hold');
    const database = intercepting(openInHaste(pool), async (text) => {
      // The one that lives extends its lease, while a lease passes for the other one.
      if (text.includes('.hold(')) {
        await untilNone(
          pool,
          `SELECT 1 FROM plant_store_outbox.entry WHERE leased_at < now() - interval '1 min'`,
        );
        await pool.query(`UPDATE plant_store_outbox.entry SET leased_at = now() - interval '1 h'`);
        steps.emit('hold');
      }
    });
    const looked = extended();
    await startRelay({ outbox: { database }, sender: other });
    await looked;
    await extended();

    end[0]!();
    await untilSettled(pool);

    expect([sender.texts, other.texts]).toEqual([['arbitrary'], []]);
    expect(await outbox.status()).toMatchObject({ waiting: 0, sending: 0, parked: 0 });
  });

  test('changes nothing about an entry that another one has recorded as cut off, or sends again', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const { sender, end } = holdingSender();
    await enqueue('cut off', 'sent again');
    await startRelay({ outbox, sender });
    await sender.count(2);
    await pool.query(`UPDATE plant_store_outbox.entry SET state = 'parked', relay = NULL, leased_at = NULL, attempts = 1,
      outcome = 'unknown', code = 'EXAMPLE', error = 'taken over', settled_at = now() WHERE id = 1`);
    await pool.query('UPDATE plant_store_outbox.entry SET begun = 2 WHERE id = 2');

    end.forEach((acknowledge) => acknowledge());
    await enqueue('later');
    await sender.count(3);
    end[2]!();
    // Results are stored in their order.
    await untilNone(pool, `SELECT 1 FROM plant_store_outbox.entry WHERE id = 3 AND state <> 'delivered'`);

    expect(await outbox.listParked()).toMatchObject([{ id: 1, outcome: 'unknown', error: 'taken over' }]);
    expect(await outbox.find(2)).not.toMatchObject({ state: 'delivered' });
  });

  test('gives back what it has not begun, and waits for the rest, when it is stopped', async () => {
    const { outbox, enqueue, row } = await openTestOutbox();
    await enqueue('one', 'two', 'three');
    let acknowledge = (): void => {};
    const sender = new RecordingSender(() => new Promise<void>((resolve) => (acknowledge = resolve)));
    const relay = await startRelay({ outbox, sender, concurrency: 1 });
    await sender.count(1);

    const stopping = relay.stop();
    acknowledge();
    await stopping;

    const states = `array_agg(state::text ORDER BY id) AS states, array_agg(outcome ORDER BY id) AS outcomes`;
    expect(await row(`SELECT ${states} FROM plant_store_outbox.entry`)).toEqual({
      states: ['delivered', 'waiting', 'waiting'],
      outcomes: [null, null, null],
    });
    await expect(relay.start()).rejects.toThrow('A relay is started once.');
  });

  test('stores a result that comes while it stores another one, when it is stopped', async () => {
    const { pool, enqueue, row } = await openTestOutbox();
    const { sender, end } = holdingSender();
    const steps = new EventEmitter();
    const [storing, mayStore] = [once(steps, 'storing'), once(steps, 'may store')];
    const database = intercepting(pool, async (text) => {
      if (!text.includes('delivered')) return;
      steps.emit('storing');
      await mayStore;
    });
    await enqueue('one', 'two');
    const relay = await startRelay({ outbox: { database }, sender });
    await sender.count(2);
    const [first, second] = end;

    const stopping = relay.stop();
    first!();
    await storing;
    second!();
    await immediate();
    steps.emit('may store');
    await stopping;

    expect(
      await row(`SELECT array_agg(state::text ORDER BY id) AS states FROM plant_store_outbox.entry`),
    ).toEqual({ states: ['delivered', 'delivered'] });
  });

  test('is stopped by Symbol.asyncDispose, and while it connects', async () => {
    const { outbox, enqueue } = await openTestOutbox();
    await enqueue('arbitrary');
    const sender = new RecordingSender();
    const relay = createRelay({ outbox, sender, retry: false });
    const starting = relay.start();

    await relay[Symbol.asyncDispose]();

    await starting;
    expect(sender.texts).toEqual([]);
    expect(await outbox.status()).toMatchObject({ waiting: 1, sending: 0 });
  });

  test.each<[string, Error, object]>([
    [
      'that has no outcome',
      new TypeError('arbitrary'),
      { outcome: 'unknown', code: 'TypeError', error: 'arbitrary' },
    ],
    [
      'whose name PostgreSQL has no character for',
      Object.assign(new Error('arbitrary'), { name: 'a\0b' }),
      { outcome: 'unknown', code: 'ab' },
    ],
    [
      'whose name is none',
      Object.assign(new Error('arbitrary'), { name: 17n as never }),
      { outcome: 'unknown', code: '17' },
    ],
    ['that is none', undefined as never, { outcome: 'unknown', code: 'Error', error: 'undefined' }],
    ['that is text', 'arbitrary' as never, { outcome: 'unknown', code: 'Error', error: "'arbitrary'" }],
    [
      'whose message PostgreSQL has no character for',
      new PlantStoreError('PLANT_STORE_ENCODE_FAILED', 'not \0 text', { outcome: 'not-sent' }),
      { outcome: 'not-sent', code: 'PLANT_STORE_ENCODE_FAILED', error: 'not  text' },
    ],
  ])('parks an entry after an error %s', async (_case, error, parked) => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const retry = (): number => 0;
    await startRelay({ outbox, sender: new RecordingSender(throwing(error)), retry });
    await enqueue('arbitrary');

    await untilSettled(pool);

    expect(await outbox.listParked()).toMatchObject([{ attempts: 1, ...parked }]);
  });

  test('stops when its sender is closed by force, which cuts off what may have arrived', async () => {
    const { pool, outbox, enqueue, row } = await openTestOutbox();
    await enqueue('one', 'two');
    const aborted = new PlantStoreError('PLANT_STORE_ABORTED', 'Closed by force.', { outcome: 'unknown' });
    const asked: unknown[] = [];
    const retry: RelayRetry = ({ attempt, error: { code }, outcome, id }) => {
      asked.push([attempt, code, outcome]);
      return id === 1 ? 60_000 : undefined;
    };
    const reported: Error[] = [];
    const onError = (error: Error): unknown => reported.push(error);
    await startRelay({ outbox, sender: new RecordingSender(throwing(aborted)), retry, onError });

    await untilNone(pool, `SELECT 1 FROM plant_store_outbox.entry WHERE attempts = 0 OR state = 'sending'`);

    const cutOff = 'PLANT_STORE_ATTEMPT_CUT_OFF';
    expect([asked, reported]).toEqual([Array(2).fill([1, cutOff, 'unknown']), [aborted]]);
    expect(
      await row(
        `SELECT array_agg(state::text || attempts || code ORDER BY id) AS all FROM plant_store_outbox.entry`,
      ),
    ).toEqual({ all: [`waiting1${cutOff}`, `parked1${cutOff}`] });
  });

  test('stops when its sender is closed, and parks nothing', async () => {
    const { outbox, enqueue, row } = await openTestOutbox();
    await enqueue('one', 'two');
    const closed = new PlantStoreError('PLANT_STORE_SENDER_CLOSED', 'The sender is closed.', {
      outcome: 'not-sent',
    });
    const reported: Error[] = [];
    const sender = new RecordingSender(throwing(closed));
    const relay = await startRelay({ outbox, sender, onError: (error) => reported.push(error) });
    await sender.count(1);

    await relay.stop();

    expect(reported).toContain(closed);
    expect(
      await row(`SELECT array_agg(state::text || attempts) AS states FROM plant_store_outbox.entry`),
    ).toEqual({
      states: ['waiting0', 'waiting0'],
    });
  });

  test('keeps what it sends when PostgreSQL restarts, and sends none of it twice', async () => {
    const server = await startPostgres();
    const pool = openPool(await server.createDatabase());
    const outbox = openOutbox(pool);
    await outbox.migrate();
    await pool.query(`INSERT INTO plant_store_outbox.entry (content)
      SELECT convert_to(n::text, 'UTF8') FROM generate_series(1, 200) n`);
    const acknowledgements: (() => void)[] = [];
    const sender = new RecordingSender(() => new Promise<void>((resolve) => acknowledgements.push(resolve)));
    const reported: Error[] = [];
    await startRelay({ outbox, sender, onError: (error) => reported.push(error) });
    await sender.count(64);

    await server.crash();
    for (const acknowledge of acknowledgements.splice(0, 32)) acknowledge();
    await server.start();
    afterThisTest(() => acknowledgements.forEach((acknowledge) => acknowledge()));
    for (let count = 65; count <= 200; count += 1) {
      for (const acknowledge of acknowledgements.splice(0)) acknowledge();
      await sender.count(count);
    }
    for (const acknowledge of acknowledgements.splice(0)) acknowledge();
    await untilSettled(pool);

    expect(sender.texts).toHaveLength(200);
    expect(new Set(sender.texts).size).toBe(200);
    expect((reported[0] as OutboxError).code).toBe('PLANT_STORE_OUTBOX_DATABASE_FAILED');
  });

  test.each([
    ['.hold(', 'before'],
    ['.hold(', 'after'],
    ['delivered', 'after'],
  ] as const)('keeps what it sends when the reply of %s is lost, %s it ran', async (part, when) => {
    const { pool, enqueue } = await openTestOutbox();
    const { database, fail } = failingOnce(pool);
    const { sender, end } = holdingSender();
    await enqueue('arbitrary');
    await startRelay({ outbox: { database }, sender });
    await sender.count(1);

    // After a fault, it looks at what it has.
    if (part === '.hold(') await fail('.step(');
    const failed = fail(part, when);
    if (part === '.hold(') await failed;
    end[0]!();
    await failed;
    await untilSettled(pool);

    expect(sender.texts).toEqual(['arbitrary']);
  });

  test('tells of an entry that it parked although the reply of the database was lost', async () => {
    const { pool, enqueue } = await openTestOutbox();
    const { database, fail } = failingOnce(pool);
    const steps = new EventEmitter();
    const told = once(steps, 'parked');
    const failed = fail('parked', 'after');
    await enqueue('arbitrary');

    await startRelay({
      outbox: { database },
      sender: new RecordingSender(throwing(refusal(400))),
      onParked: (notice) => steps.emit('parked', notice),
    });
    await failed;

    expect(await told).toEqual([{ count: 1, reason: 'PLANT_STORE_NOT_ACKNOWLEDGED', ids: [1] }]);
  });

  test('tells of an outage of its database when it begins and when it is over', async () => {
    const { pool, enqueue } = await openTestOutbox();
    const published = watchChannel('plant-store:outbox:outage');
    const failures = ['one', 'one', 'two', 'one'];
    const database = intercepting(pool, async (text) => {
      const message = text.includes('.step(') ? failures.shift() : undefined;
      if (message !== undefined) throw new Error(message);
    });
    const reported: string[] = [];
    const onError = ({ message }: Error): unknown => reported.push(message);
    await startRelay({ outbox: { database }, sender: new RecordingSender(), onError });
    await enqueue('arbitrary');

    await untilSettled(pool);

    expect(published).toMatchObject([
      { part: 'database', tries: 0, error: { message: expect.stringContaining('one') } },
      { part: 'database', tries: 4 },
    ]);
    expect(reported).toEqual(['The database of the outbox failed: one.']);
  });

  test.each<[string, () => never]>([
    ['throw', throwing(new Error('A function of the caller fails.'))],
    ['reject', () => Promise.reject(new Error('A function of the caller fails.')) as never],
  ])('goes on when the functions that it tells %s', async (_case, fail) => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const spy = import.meta.jest.spyOn(process, 'emitWarning');
    const warned = new Promise<unknown>((resolve) => spy.mockImplementation(resolve));
    afterThisTest(() => spy.mockRestore());
    const sender = new RecordingSender((text) => {
      if (text === 'refused') throw refusal(400);
    });
    await enqueue('refused');
    await startRelay({ outbox, sender, onParked: fail, onError: fail });

    expect(await warned).toContain('A function of the caller fails.');

    await enqueue('accepted');
    await untilSettled(pool);
    expect(await outbox.status()).toMatchObject({ parked: 1, waiting: 0 });
  });

  test('stores its results although the connection is lost while it is stopped', async () => {
    const { pool, enqueue, row } = await openTestOutbox();
    const { database, fail } = failingOnce(pool);
    const { sender, end } = holdingSender();
    const relay = await startRelay({ outbox: { database }, sender });
    await enqueue('arbitrary');
    await sender.count(1);

    const stopping = relay.stop();
    const failed = fail('delivered');
    end[0]!();
    await Promise.all([failed, stopping]);

    expect(await row('SELECT state::text FROM plant_store_outbox.entry')).toEqual({ state: 'delivered' });
  });

  test('stops although nothing can be stored, after it has tried for a while', async () => {
    const { pool, enqueue, row } = await openTestOutbox();
    const { sender, end } = holdingSender();
    const failure = new Error('Nothing is stored.');
    const tries = new EventEmitter();
    const database = intercepting(pool, async (text) => {
      if (!text.includes('delivered')) return;
      tries.emit('try');
      throw failure;
    });
    const reported: unknown[] = [];
    const onError = ({ cause }: Error): unknown => reported.push(cause);
    const relay = await startRelay({ outbox: { database }, sender, onError });
    await enqueue('arbitrary');
    await sender.count(1);
    const { runOut } = useClocks(10_000);

    const stopping = relay.stop();
    end[0]!();
    await once(tries, 'try');
    await once(tries, 'try');
    runOut();
    await stopping;
    await relay.stop();

    expect(reported).toEqual([failure]);
    expect(await row('SELECT state::text FROM plant_store_outbox.entry')).toEqual({ state: 'sending' });
  });

  test('does not start without an outbox, and starts once there is one', async () => {
    const pool = await openNewDatabase();
    const relay = createRelay({ outbox: openOutbox(pool), sender: new RecordingSender(), retry: false });

    await expect(relay.start()).rejects.toMatchObject({ code: 'PLANT_STORE_OUTBOX_MISSING' });
    await openOutbox(pool).migrate();
    await relay.start();
    await expect(relay.start()).rejects.toThrow('A relay is started once.');
    await relay.stop();
  });
});

describe('without a database', () => {
  const outbox = openOutbox(noDatabase);

  test.each([17, ['17'], [1.5], undefined])('replay and discard refuse %j', async (entries) => {
    const refused = /^`entries` must be a list of ids, or 'all'\.$/;
    await expect(outbox.replay(entries as never)).rejects.toThrow(refused);
    await expect(outbox.discard(entries as never)).rejects.toThrow(refused);
  });

  test.each<[unknown, string]>([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ after: -1 }, 'after'],
    [{ after: 'one' }, 'after'],
    [{ state: 'parked' }, 'state'],
    [null, 'options'],
  ])('listParked refuses the options %p', async (options, option) => {
    await expect(outbox.listParked(options as ListOptions)).rejects.toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      faults: [{ option }],
    });
  });

  const wrong = { outbox: {}, retry: [1], concurrency: 0, keepDelivered: 1e15, delays: [] };
  test.each<[unknown, string[]]>([
    [
      wrong,
      [
        '`outbox` must be what createOutbox returns.',
        '`sender` is missing. Pass what createNewPlantSender returns.',
        '`retry` must be a function or false.',
        '`concurrency` must be a whole number from 1 to 2147483647 (got 0).',
        '`keepDelivered` must be a whole number from 0 to 3155760000000 (got 1000000000000000).',
        '`delays` is not an option of a relay.',
      ],
    ],
    [undefined, ['`outbox` is missing. Pass what createOutbox returns.']],
    [
      {},
      [
        '`retry` is missing. Pass a function, or `false` to send nothing again. It has no default while the question retry is open.',
      ],
    ],
    [null, ['`options` must be an object.']],
  ])('createRelay(%j) lists what is wrong', (options, problems) => {
    const create = (): unknown => createRelay(options as RelayOptions);

    expect(create).toThrow(InvalidOptionsError);
    for (const problem of problems) expect(create).toThrow(problem);
  });

  test('a relay needs no policy once the question retry is answered', () => {
    const relay = { outbox: { database: noDatabase }, sender: new RecordingSender() };
    expect(() => readRelayOptions({ retry: exampleAnswers.retry }, relay)).not.toThrow();
  });
});
