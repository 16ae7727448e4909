import 'reflect-metadata';

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { afterThisTest } from '@plant-store/test-support';
import type { PostgresServer } from '@plant-store/test-support/postgres';
import { postgresOfThisFile, startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';

import { composeAnswers } from '../../src/answers/compose-answers.js';
import { parseConfig } from '../../src/config/config.js';
import { postgresServers } from '../../src/config/postgres-url.js';
import type { Delivery, Inbox } from '../../src/inbox/inbox.js';
import { PostgresTransactions } from '../../src/inbox/postgres/postgres-transactions.js';
import { startReceiver } from '../../src/receiver.js';
import { failed, HANDLED, incoming } from '../open-inbox.js';
import { recordLog } from '../record-log.js';
import { rejection } from '../rejection.js';
import { openShared } from './open-shared.js';
import { hasPgBouncer, startPgBouncer } from '@plant-store/test-support/pgbouncer';

/** A connection to a server that can be cut, and plugged in again. */
class Cable {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  constructor(private readonly target: number) {
    afterThisTest(() => this.cut());
  }

  async plug(): Promise<void> {
    this.#server = createServer((socket) => {
      const onward = connect(this.target, '127.0.0.1');
      for (const end of [socket, onward]) {
        this.#sockets.add(end.on('error', () => undefined));
        end.on('close', () => [socket, onward].forEach((each) => each.destroy()));
      }
      socket.pipe(onward).pipe(socket);
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

/** Claims until something comes. */
async function nextClaim(inbox: Inbox): Promise<Delivery> {
  for (;;) {
    const { deliveries, interrupted } = await inbox.claim(1);
    const [next = interrupted] = deliveries;
    if (next !== undefined) return next;
    await delay(50);
  }
}

withPostgres('receivers on one database', () => {
  let server: PostgresServer;
  let url: string;

  const sql = (text: string): Promise<string> => server.query(text, nameIn(url));

  /** Resolves when so many sessions wait for something of this kind. */
  const waits = async (kind: string, count = 1): Promise<void> => {
    const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = '${kind}' AND datname = '${nameIn(url)}'`;
    while (Number(await server.query(waiting)) < count) await delay(20);
  };

  /** Keeps a lock until it is released. */
  const lock = async (text: string): Promise<() => Promise<unknown>> => {
    const locked = sql(`BEGIN; ${text}; SELECT pg_sleep(60)`).catch(() => undefined);
    await waits('PgSleep');
    return async () => {
      await server.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = '${nameIn(url)}'`,
      );
      await locked;
    };
  };

  beforeEach(async () => {
    server = await postgresOfThisFile();
    url = await server.createDatabase();
  });

  test('make the tables once, and claim each delivery once', async () => {
    const inboxes = await Promise.all([openShared(url), openShared(url), openShared(url)]);
    await Promise.all(inboxes.map((inbox) => inbox.accept(incoming('arbitrary'))));

    const claims = await Promise.all(inboxes.map((inbox) => inbox.claim(10)));

    const ids = claims.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    expect(ids.sort()).toEqual([1, 2, 3]);
  });

  test('are refused by tables of an earlier version', async () => {
    await sql(`CREATE SCHEMA plant_store; CREATE TABLE plant_store.schema_version AS SELECT 2 AS version`);

    const error = (await rejection(openShared(url))) as Error;
    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(error.message).toMatch(/tables of version 2.*"plant-inbox export" of the earlier receiver/);
  });

  test('store the same events at the same time in whatever order, each once', async () => {
    const inboxes = [await openShared(url), await openShared(url)];
    const events = Array.from({ length: 50 }, (_, index) => `event ${index}`);
    const accept = (inbox: Inbox, ids: readonly string[]): Promise<number[]> =>
      Promise.all([...ids, ...ids].map((eventId) => inbox.accept(incoming('arbitrary', { eventId }))));

    const [one, other] = await Promise.all([
      accept(inboxes[0]!, events),
      accept(inboxes[1]!, events.toReversed()),
    ]);

    expect(one.slice(0, 50)).toEqual(one.slice(50));
    expect(other.slice(0, 50).toReversed()).toEqual(one.slice(0, 50));
    expect(await sql('SELECT count(*) FROM plant_store.delivery')).toBe('50');
  });

  test('claim nothing soon after the handler was paused at another one', async () => {
    const [one, other] = [await openShared(url), await openShared(url)];
    await one.claim(10);
    await other.setPaused(true);
    await one.accept(incoming('arbitrary'));

    expect((await one.claim(10)).deliveries).toEqual([]);
    expect(await one.stats()).toMatchObject({ waiting: 1, running: 0, isPaused: true });
    await other.setPaused(false);
    expect(await nextClaim(one)).toMatchObject({ id: 1 });
  });

  test('take over what one whose lease has ended was running, and its result changes nothing', async () => {
    const [one, other] = [await openShared(url), await openShared(url)];
    const id = await one.accept(incoming('arbitrary'));
    const claimed = await nextClaim(one);
    expect((await other.claim(10)).interrupted).toBeUndefined();
    await sql(`DELETE FROM plant_store.receiver`);

    expect(await nextClaim(other)).toMatchObject({ id, attempts: 1 });
    await one.settle(claimed, HANDLED, claimed.claimedAt);
    expect(await one.find(id)).toMatchObject({ state: 'running' });
  });

  test('leave expired leases alone after an outage, until those had time to renew them', async () => {
    const [one, other] = [await openShared(url), await openShared(url)];
    await one.accept(incoming('arbitrary'));
    await nextClaim(one);
    await sql(`UPDATE plant_store.receiver SET expires_at = now() - interval '1 second', epoch = DEFAULT`);

    expect(await other.claim(10)).toMatchObject({ deliveries: [], nextIn: expect.any(Number) });
    expect((await one.list({}, { order: 'oldest first', limit: 1 }))[0]).toMatchObject({ state: 'running' });
  });

  describe('one whose connection was lost during a commit', () => {
    let cable: Cable;
    let inbox: Inbox;

    beforeEach(async () => {
      cable = new Cable(server.port);
      await cable.plug();
      const through = new URL(url);
      through.port = String(cable.port);
      inbox = await openShared(through.href);
      await inbox.claim(10);
    });

    test('goes on with a new lease: what the lost one still sends writes nothing', async () => {
      const release = await lock('LOCK TABLE plant_store.event');
      const refused = rejection(inbox.accept(incoming('refused')));
      await waits('relation');
      cable.cut();
      expect(await refused).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
      await cable.plug();
      const accepted = inbox.accept(incoming('accepted'));
      await waits('relation', 2);
      await release();

      const delivery = await nextClaim(inbox);
      expect(delivery).toMatchObject({ id: await accepted, content: Buffer.from('accepted') });
      expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 1 });
    });

    test('waits for a commit that still runs, and hands on what that stored, once', async () => {
      const id = await inbox.accept(incoming('first'));
      const claimed = await nextClaim(inbox);
      await inbox.claim(10);
      const release = await lock('SELECT FROM plant_store.delivery FOR UPDATE');
      const unsettled = rejection(inbox.settle(claimed, failed(3_600_000), claimed.claimedAt));
      const refused = rejection(inbox.accept(incoming('refused')));
      await waits('transactionid');
      cable.cut();
      expect(await unsettled).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
      expect(await refused).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
      await cable.plug();
      const settled = inbox.settle(claimed, failed(3_600_000), claimed.claimedAt);
      await waits('transactionid', 2);
      await release();

      await settled;
      expect(await nextClaim(inbox)).toMatchObject({ content: Buffer.from('refused'), attempts: 1 });
      expect(await inbox.find(id)).toMatchObject({ state: 'waiting', attempts: 1, history: [{ number: 1 }] });
      expect(await inbox.stats()).toMatchObject({ waiting: 1, running: 1 });
    });
  });

  test('one that the database leaves without a reply ends at the deadline of its stop', async () => {
    const log = recordLog();
    const composed = composeAnswers({});
    const settings = {
      PORT: '0',
      OPERATIONS_PORT: '0',
      ACCESS_TOKENS: 'arbitrary',
      SHUTDOWN_TIMEOUT_MS: '500',
    };
    const config = parseConfig({ ...settings, INBOX_URL: url }, composed.settings);
    const receiver = await startReceiver(config, log.logger, composed);
    const release = await lock('LOCK TABLE plant_store.delivery');
    await waits('relation');

    expect(await receiver.close()).toBe(false);
    // PostgreSQL would end the wait after ten seconds, and the log would have that failure.
    const afterwards = log.lines.slice(log.lines.findIndex(({ msg }) => msg === 'stopping') + 1);
    expect(afterwards).toMatchObject([{ msg: 'stopped', cutShort: true }]);
    await release();
  });

  test('one goes on after a restart of the server, and refuses meanwhile', async () => {
    const own = await startPostgres();
    const inbox = await openShared(await own.createDatabase());
    await inbox.accept(incoming('arbitrary'));
    await own.stop();
    expect(await rejection(inbox.accept(incoming('arbitrary')))).toMatchObject({
      code: 'INBOX_WRITE_FAILED',
    });
    await own.start();

    expect(await inbox.accept(incoming('arbitrary'))).toBeGreaterThan(1);
    expect(await inbox.stats()).toMatchObject({ waiting: 2 });
  });

  test('one finds the server that can be written to', async () => {
    const standby = await startPostgres({ default_transaction_read_only: 'on' });
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${server.port}`;
    const inbox = await openShared(url.replace(/127\.0\.0\.1:\d+/, hosts));

    expect(await inbox.accept(incoming('arbitrary'))).toBe(1);
  });

  test('a commit waits for the standby whatever the database says, and without it counts as failed', async () => {
    const own = await startPostgres();
    const place = await own.createDatabase();
    await own.query(`ALTER DATABASE ${nameIn(place)} SET synchronous_commit = off`);
    const inbox = await openShared(place);
    await own.query(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
    await own.query('SELECT pg_reload_conf()');
    while ((await own.query('SHOW synchronous_standby_names')) !== 'nobody') await delay(20);
    const refused = rejection(inbox.accept(incoming('arbitrary')));
    const syncing = `FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    while ((await own.query(`SELECT count(*) ${syncing}`)) === '0') await delay(20);
    await own.query(`SELECT pg_cancel_backend(pid) ${syncing}`);

    expect(await refused).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    await own.query('ALTER SYSTEM RESET synchronous_standby_names');
    await own.query('SELECT pg_reload_conf()');
    expect(await nextClaim(inbox)).toMatchObject({ id: 1, attempts: 1 });
  });

  (hasPgBouncer() ? test : test.skip)('work through PgBouncer that pools by transaction', async () => {
    const through = new URL(url);
    through.port = String(await startPgBouncer(server, afterThisTest));
    const [one, other] = [await openShared(through.href), await openShared(through.href)];
    await one.claim(10);
    await one.accept(incoming('arbitrary'));
    await other.accept(incoming('arbitrary', { eventId: 'a' }));
    const claimed = await nextClaim(one);
    await one.settle(claimed, failed(0), claimed.claimedAt);

    expect(await nextClaim(other)).toMatchObject({ attempts: expect.any(Number) });
    const transactions = new PostgresTransactions(postgresServers(through.href));
    const again = await nextClaim(one);
    await transactions.run(again, (client) => client.query('SELECT'), new AbortController().signal);
    expect(await one.find(again.id)).toMatchObject({ state: 'handled' });
    await transactions.close();
  });

  describe('a transaction of the handler', () => {
    let inbox: Inbox;
    let claimed: Delivery;
    let transactions: PostgresTransactions;
    const { signal } = new AbortController();

    beforeEach(async () => {
      inbox = await openShared(url);
      await sql('CREATE TABLE plant (name text)');
      await inbox.accept(incoming('arbitrary'));
      claimed = await nextClaim(inbox);
      transactions = new PostgresTransactions(postgresServers(url));
      afterThisTest(() => transactions.close());
    });

    const insert = (name: string) => (client: { query: (text: string) => Promise<unknown> }) =>
      client.query(`INSERT INTO plant VALUES ('${name}')`);

    test('is committed together with the delivery, once, whatever the attempt reports', async () => {
      await transactions.run(claimed, insert('a'), signal);
      await transactions.run(claimed, insert('b'), signal);
      await inbox.settle(claimed, failed(0), claimed.claimedAt);

      expect(await sql('SELECT name FROM plant')).toBe('a');
      expect(await inbox.find(1)).toMatchObject({ state: 'handled', error: null });
    });

    test('that fails writes nothing, and the delivery may fail and come again', async () => {
      const fault = new Error('arbitrary');
      const work = async (client: Parameters<ReturnType<typeof insert>>[0]): Promise<void> => {
        await insert('a')(client);
        throw fault;
      };

      expect(await rejection(transactions.run(claimed, work, signal))).toBe(fault);
      await inbox.settle(claimed, failed(0), claimed.claimedAt);
      expect(await sql('SELECT count(*) FROM plant')).toBe('0');
      expect(await nextClaim(inbox)).toMatchObject({ id: 1, attempts: 2 });
    });

    test('of an attempt that was replayed after its commit changes nothing of the next one', async () => {
      await transactions.run(claimed, insert('a'), signal);
      await inbox.change({ filter: {}, after: 0, limit: 10 }, { kind: 'replay' });
      const again = await nextClaim(inbox);
      await inbox.settle(claimed, HANDLED, claimed.claimedAt);

      expect((await rejection(transactions.run(claimed, insert('b'), signal))) as Error).toMatchObject({
        message: expect.stringContaining('has lost delivery 1'),
      });
      expect(await inbox.find(1)).toMatchObject({ state: 'running' });
      await transactions.run(again, insert('c'), signal);
      expect(await sql('SELECT name FROM plant ORDER BY name')).toBe('a\nc');
    });

    test('is rolled back when the attempt is broken off', async () => {
      const stopping = new AbortController();
      const work = async (client: Parameters<ReturnType<typeof insert>>[0]): Promise<void> => {
        await insert('a')(client);
        stopping.abort();
        await client.query('SELECT pg_sleep(60)');
      };

      await rejection(transactions.run(claimed, work, stopping.signal));
      await inbox.settle(claimed, failed(0), claimed.claimedAt);
      expect(await sql('SELECT count(*) FROM plant')).toBe('0');
    });
  });
});
