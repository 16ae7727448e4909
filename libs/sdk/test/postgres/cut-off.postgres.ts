import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterThisTest } from '@plant-store/test-support';
import { withPostgres } from '@plant-store/test-support/postgres-tests';
import type { Pool } from 'pg';
import type { RelayRetry } from '../../src/outbox/index.js';
import { withEverythingOpen } from '../support/documented.js';
import { type RawServer, startRawServer } from '../support/raw-server.js';
import { type Running, startProcess } from '../support/run-process.js';
import {
  failingOnce,
  intercepting,
  lost,
  openInHaste,
  openTestOutbox,
  RecordingSender,
  refusal,
  setClock,
  startRelay,
  type TestOutbox,
  untilSettled,
} from './outboxes.js';

const fixture = fileURLToPath(new URL('../fixtures/relay.mjs', import.meta.url));

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

const textsOf = ({ requests }: RawServer): string[] => requests.map(({ content }) => String(content));

/** The relay of the fixture, in a process of its own. */
function startProgram({ pool }: TestOutbox, { url }: RawServer): Running {
  const env = { PLANT_STORE_OUTBOX_URL: pool.options.connectionString!, RECEIVER_URL: url };
  return startProcess(process.execPath, withEverythingOpen(fixture), { env });
}

/** Starts a relay in this process, and waits until it sends. Then it never reaches the database again. */
async function startRelayThatEnds(pool: Pool): Promise<void> {
  let hasEnded = false;
  const database = intercepting(pool, async () => {
    if (hasEnded) throw new Error('The process has ended.');
  });
  const sender = new RecordingSender(() => new Promise<void>((resolve) => afterThisTest(resolve)));
  await startRelay({ outbox: { database }, sender });
  await sender.count(1);
  hasEnded = true;
}

withPostgres('an attempt that was cut off', () => {
  test('is not made again without a policy, and what a killed relay had not begun is sent', async () => {
    const test = await openTestOutbox();
    const { outbox, pool, enqueue, row } = test;
    await enqueue(...numbers(1, 24));
    const server = await startRawServer(() => {});
    const { child } = startProgram(test, server);
    await server.request(15);

    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const sender = new RecordingSender();
    await startRelay({ outbox: { database: openInHaste(pool) }, sender });
    await untilSettled(pool);

    expect([...textsOf(server), ...sender.texts].toSorted()).toEqual(numbers(1, 24).toSorted());
    const cutOff = { attempts: 1, outcome: 'unknown', code: 'PLANT_STORE_ATTEMPT_CUT_OFF' };
    expect(await outbox.listParked()).toMatchObject(
      numbers(1, 16).map((id) => ({ id: Number(id), ...cutOff })),
    );
    expect(
      await row(`SELECT array_agg(DISTINCT attempts || coalesce(outcome, '')) AS delivered
        FROM plant_store_outbox.entry WHERE state = 'delivered'`),
    ).toEqual({ delivered: ['1'] });
  });

  test('is what the policy is asked about, which may send it again', async () => {
    const { pool, enqueue, row } = await openTestOutbox();
    await enqueue('arbitrary');
    await startRelayThatEnds(pool);
    const asked: unknown[] = [];
    const retry: RelayRetry = ({ attempt, error: { code }, outcome }) => {
      asked.push([attempt, code, outcome]);
      return 1;
    };
    const sender = new RecordingSender();

    await startRelay({ outbox: { database: openInHaste(pool) }, sender, retry });
    await untilSettled(pool);

    expect(asked).toEqual([[1, 'PLANT_STORE_ATTEMPT_CUT_OFF', 'unknown']]);
    expect(sender.texts).toEqual(['arbitrary']);
    expect(await row('SELECT state::text, attempts FROM plant_store_outbox.entry')).toEqual({
      state: 'delivered',
      attempts: 2,
    });
  });

  test('stays one if the relay that records it loses the database', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    await enqueue('arbitrary');
    await startRelayThatEnds(pool);
    const { database, fail } = failingOnce(openInHaste(pool));
    const failed = fail('PLANT_STORE_ATTEMPT_CUT_OFF', 'after');
    const sender = new RecordingSender();

    await startRelay({ outbox: { database }, sender });
    await failed;
    await untilSettled(pool);

    expect(sender.texts).toEqual([]);
    expect(await outbox.listParked()).toMatchObject([{ attempts: 1, outcome: 'unknown' }]);
  });

  test('is none if the relay lives and only the reply of the database was lost', async () => {
    const { pool, outbox, enqueue, row } = await openTestOutbox();
    const sender = new RecordingSender();
    const { database, fail } = failingOnce(pool);
    const failed = fail('.step(', 'after');
    await enqueue('arbitrary');

    await startRelay({ outbox: { database }, sender });
    await failed;
    expect(await row('SELECT state::text FROM plant_store_outbox.entry')).toEqual({ state: 'sending' });
    await untilSettled(pool);

    expect(sender.texts).toEqual(['arbitrary']);
    expect(await outbox.listParked()).toEqual([]);
    expect(await row('SELECT state::text, attempts FROM plant_store_outbox.entry')).toEqual({
      state: 'delivered',
      attempts: 1,
    });
  });

  test('is none if all relays were frozen for longer than a lease', async () => {
    const { pool, enqueue, row } = await openTestOutbox();
    await enqueue('arbitrary');
    await startRelayThatEnds(pool);
    const skip = setClock();
    const steps = new EventEmitter();
    const database = intercepting(
      pool,
      async () => {},
      async (text) => void steps.emit(text.includes('.hold(') ? 'looked' : 'other'),
    );
    const looked = once(steps, 'looked');
    await startRelay({ outbox: { database }, sender: new RecordingSender() });
    await looked;
    await once(steps, 'other');

    skip(60_000);
    await once(steps, 'looked');
    // If it had recorded one, it would be stored now.
    await enqueue('later');
    await once(steps, 'other');

    expect(await row('SELECT state::text FROM plant_store_outbox.entry WHERE id = 1')).toEqual({
      state: 'sending',
    });
  });

  test('is none if the relay is stopped before the attempt begins', async () => {
    const { pool, outbox, enqueue, row } = await openTestOutbox();
    const sender = new RecordingSender();
    const steps = new EventEmitter();
    const database = intercepting(
      pool,
      async () => {},
      async (text) => {
        if (text.includes('.step(')) steps.emit('stopping', relay.stop());
      },
    );
    await enqueue('arbitrary');
    const stopping = once(steps, 'stopping');
    const relay = await startRelay({ outbox: { database }, sender });
    await Promise.all(await stopping);

    expect(sender.texts).toEqual([]);
    expect(await row('SELECT state::text, attempts, outcome FROM plant_store_outbox.entry')).toEqual({
      state: 'waiting',
      attempts: 0,
      outcome: null,
    });
    await startRelay({ outbox, sender });
    await untilSettled(pool);
    expect(sender.texts).toEqual(['arbitrary']);
  });

  test('counts after a replay, too: the policy is told that the plant may have arrived', async () => {
    const { pool, outbox, enqueue } = await openTestOutbox();
    const refused = refusal(503);
    const errors = [lost(), refused, refused];
    const sender = new RecordingSender((_text, index) => {
      throw errors[index]!;
    });
    const asked: unknown[] = [];
    const retry: RelayRetry = ({ attempt, error: { code }, outcome }) =>
      void asked.push([attempt, code, outcome]);
    await startRelay({ outbox, sender, retry });
    await enqueue('one');
    await sender.count(1);
    await untilSettled(pool);
    await outbox.replay('all');
    await sender.count(2);
    await enqueue('two');
    await sender.count(3);
    await untilSettled(pool);

    expect(asked).toEqual([
      [1, 'PLANT_STORE_CONNECTION_LOST', 'unknown'],
      [1, 'PLANT_STORE_NOT_ACKNOWLEDGED', 'unknown'],
      [1, 'PLANT_STORE_NOT_ACKNOWLEDGED', 'responded'],
    ]);
    expect(await outbox.listParked()).toMatchObject([{ outcome: 'unknown' }, { outcome: 'responded' }]);
  });
});
