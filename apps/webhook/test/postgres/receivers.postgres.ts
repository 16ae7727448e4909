import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { afterThisTest } from '@plant-store/test-support';
import { hasPgBouncer, startPgBouncer } from '@plant-store/test-support/pgbouncer';
import type { PostgresServer } from '@plant-store/test-support/postgres';
import { postgresOfThisFile, startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';
import type { Delivery, TransactionClient } from '@plant-store/handler';

import { postgresServers } from '../../src/config/postgres-url.js';
import type { Inbox } from '../../src/inbox/inbox.js';
import { Connections } from '../../src/inbox/postgres/connect.js';
import { isAbandoned, Lease, LEASE_TIME } from '../../src/inbox/postgres/lease.js';
import { runCycle } from '../../src/inbox/postgres/postgres-cycle.js';
import { PostgresTransactions } from '../../src/inbox/postgres/postgres-transactions.js';
import { sql as query } from '../../src/inbox/sql.js';
import type { Store } from '../../src/inbox/store.js';
import { makeLatch } from '../make-latch.js';
import {
  act,
  Claims,
  failed,
  HANDLED,
  incoming,
  originOf,
  PARKED,
  untilStored,
  untilWritten,
} from '../open-inbox.js';
import { recordLog } from '../record-log.js';
import { rejection } from '../rejection.js';
import { openShared } from './open-shared.js';

/** The first byte of a message with a query. */
const QUERY = 'Q'.charCodeAt(0);

/** A connection to a server that can be cut, and plugged in again. */
class Cable {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #holding: Promise<void> | undefined;
  port = 0;

  constructor(private readonly target: number) {
    afterThisTest(() => this.cut());
  }

  async plug(): Promise<void> {
    this.#server = createServer((socket) => {
      const onward = connect(this.target, '127.0.0.1');
      afterThisTest(() => onward.destroy());
      onward.on('error', () => undefined).on('close', () => socket.destroy());
      this.#sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => this.#sockets.delete(socket) && onward.destroy());
      socket.on('data', (message) => void this.#pass(message, onward));
      onward.pipe(socket);
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async #pass(message: Buffer, onward: Socket): Promise<void> {
    if (message[0] === QUERY) await this.#holding;
    onward.write(message);
  }

  /** Passes on no query until the function is called that it returns. */
  hold(): () => void {
    const latch = makeLatch();
    this.#holding = latch.opened;
    return latch.open;
  }

  /** The server doesn't notice: it would end what waits for a lock. */
  cut(): void {
    this.#server?.close();
    const sockets = [...this.#sockets];
    this.#sockets.clear();
    for (const socket of sockets) socket.destroy();
  }
}

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

const isWritable = (inbox: Inbox): Promise<boolean> =>
  untilWritten(inbox).then(
    () => true,
    () => false,
  );

/** A receiver without a handler: an inbox, and what of it runs. */
interface Receiver {
  readonly inbox: Inbox;
  readonly claims: Claims;
  /** Claims until something comes. */
  readonly next: () => Promise<Delivery>;
}

async function open(url: string): Promise<Receiver> {
  const inbox = await openShared(url);
  const claims = Claims.begin(inbox);
  const next = async (): Promise<Delivery> => {
    for (;;) {
      const [delivery] = await claims.claim(1);
      if (delivery !== undefined) return delivery;
      await delay(50);
    }
  };
  return { inbox, claims, next };
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

  /** What a receiver is running is then of one that has ended without a word. */
  const leave = ({ inbox }: Receiver): Promise<string> =>
    sql(`UPDATE plant_store.delivery SET receiver = 'ended' WHERE receiver = '${inbox.receiver}'`);

  /** How many deliveries a receiver would take over, as if all were running. */
  const abandonedFor = ({ inbox }: Receiver): string =>
    `SELECT count(*) FROM plant_store.delivery WHERE ${isAbandoned(inbox.receiver)}`;

  beforeEach(async () => {
    server = await postgresOfThisFile();
    url = await server.createDatabase();
  });

  test('make the tables once, and claim each delivery once', async () => {
    const receivers = await Promise.all([open(url), open(url), open(url)]);
    await Promise.all(receivers.map(({ inbox }) => inbox.accept(incoming('arbitrary'))));

    const claimed = await Promise.all(receivers.map(({ claims }) => claims.claim()));

    expect(claimed.flatMap((deliveries) => deliveries.map(({ id }) => id)).sort()).toEqual([1, 2, 3]);
  });

  test('write beside each other, though the default of the role is serializable', async () => {
    await sql(`ALTER DATABASE "${nameIn(url)}" SET default_transaction_isolation TO serializable`);
    const log = recordLog();
    const work = async (): Promise<void> => {
      const inbox = await openShared(url, log);
      const claims = Claims.begin(inbox);
      for (let round = 0; round < 50; round += 1)
        await Promise.all([inbox.accept(incoming('arbitrary')), claims.settle(HANDLED)]);
    };

    await Promise.all([work(), work(), work()]);

    expect(log.lines).toEqual([]);
  });

  test('store the same events at the same time in whatever order, each once', async () => {
    const [one, other] = [await open(url), await open(url)];
    const events = Array.from({ length: 50 }, (_, index) => `event ${index}`);
    const accept = ({ inbox }: Receiver, ids: readonly string[]): Promise<number[]> =>
      Promise.all([...ids, ...ids].map((eventId) => inbox.accept(incoming('arbitrary', { eventId }))));

    const [ofOne, ofOther] = await Promise.all([accept(one, events), accept(other, events.toReversed())]);

    expect(ofOne.slice(0, 50)).toEqual(ofOne.slice(50));
    expect(ofOther.slice(0, 50).toReversed()).toEqual(ofOne.slice(0, 50));
    expect(await sql('SELECT count(*) FROM plant_store.delivery')).toBe('50');
  });

  test('claim nothing after the handler was paused at another one, until it is resumed', async () => {
    const [one, other] = [await open(url), await open(url)];
    await other.inbox.operations.setPaused(true);
    await one.inbox.accept(incoming('arbitrary'));

    expect(await one.claims.claim()).toEqual([]);
    expect(await one.inbox.operations.stats()).toMatchObject({ waiting: 1, running: 0, isPaused: true });
    await other.inbox.operations.setPaused(false);
    expect(await one.next()).toMatchObject({ id: 1 });
  });

  describe('an act', () => {
    const park = async ({ inbox, claims }: Receiver, count: number): Promise<void> => {
      await Promise.all(Array.from({ length: count }, () => inbox.accept(incoming('arbitrary'))));
      await claims.settle(...Array.from({ length: count }, () => PARKED));
    };
    const acts = 'SELECT id, changed, ended_at IS NULL FROM plant_store.act ORDER BY id';

    test('of one that has ended is carried out by exactly one other', async () => {
      const [one, two, three] = [await open(url), await open(url), await open(url)];
      await park(one, 2_000);
      await one.inbox.operations.acts.begin('replay', {}, originOf());
      await one.inbox.close();

      while ((await sql(acts)).endsWith('t')) {
        two.inbox.operations.acts.goOn();
        three.inbox.operations.acts.goOn();
        await Promise.all([two.inbox.operations.acts.untilIdle(), three.inbox.operations.acts.untilIdle()]);
      }

      expect(await sql(acts)).toBe('1|2000|f');
      expect(await sql('SELECT state, act, count(*) FROM plant_store.delivery GROUP BY 1, 2')).toBe(
        'waiting|1|2000',
      );
      expect([two.inbox.receiver, three.inbox.receiver]).toContain(
        await sql('SELECT receiver FROM plant_store.act'),
      );
    });

    test('meets one of another, and each counts what it has changed itself', async () => {
      const [one, other] = [await open(url), await open(url)];
      await park(one, 2_000);
      await Promise.all(
        [one, other].map(({ inbox }) => inbox.operations.acts.begin('replay', {}, originOf())),
      );
      await Promise.all([one, other].map(({ inbox }) => inbox.operations.acts.untilIdle()));

      expect(await sql('SELECT sum(changed), count(ended_at) FROM plant_store.act')).toBe('2000|2');
      expect(
        await sql(`SELECT count(*) FROM plant_store.act WHERE changed <>
          (SELECT count(*) FROM plant_store.delivery WHERE act = plant_store.act.id)`),
      ).toBe('0');
    });
  });

  test('run one suspect each', async () => {
    const [one, other] = [await open(url), await open(url)];
    await Promise.all([1, 2, 3].map(() => one.inbox.accept(incoming('arbitrary'))));
    await sql("UPDATE plant_store.delivery SET state = 'retrying', attempts = 2, interruptions = 2");

    expect(await one.claims.claim()).toMatchObject([{ id: 1 }]);
    expect(await other.next()).toMatchObject({ id: 2 });
    expect([...(await one.claims.claim()), ...(await other.claims.claim())]).toEqual([]);
  });

  test('run the next suspect while somebody has the first one locked', async () => {
    const { inbox, next } = await open(url);
    await Promise.all([1, 2].map(() => inbox.accept(incoming('arbitrary'))));
    const release = await lock('SELECT FROM plant_store.delivery WHERE id = 1 FOR UPDATE');
    await sql(
      "UPDATE plant_store.delivery SET state = 'retrying', attempts = 2, interruptions = 2 WHERE id = 2",
    );
    await sql('UPDATE plant_store.delivery SET due_at = due_at + 1 WHERE id = 2');

    expect(await next()).toMatchObject({ id: 2 });
    await release();
  });

  test('ask again only after a while for what is due, if somebody has it locked', async () => {
    const { inbox } = await open(url);
    await inbox.accept(incoming('arbitrary'));
    const release = await lock('SELECT FROM plant_store.delivery FOR UPDATE');
    const client = new pg.Client(url);
    await client.connect();
    const lease = await Lease.take(client, 'arbitrary');
    const input = { arrivals: [], results: [], polls: true };

    const outcome = await runCycle(client, lease, { places: 1, suspect: true }, input);
    expect(Number(outcome!.nextDueIn)).toBe(250);
    await client.end();
    await release();
  });

  test('take over what one whose lease has ended was running, and its result changes nothing', async () => {
    const [one, other] = [await open(url), await open(url)];
    const id = await one.inbox.accept(incoming('arbitrary'));
    const claimed = await one.next();
    expect(await other.claims.claim()).toEqual([]);
    await leave(one);

    expect(await other.next()).toMatchObject({ id, attempts: 2 });
    one.inbox.settle(claimed, HANDLED);
    await untilStored(one.inbox);
    expect(await one.inbox.operations.find(id)).toMatchObject({ state: 'running', history: [{ number: 1 }] });
  });

  test('take over the others while the transaction of a handler has one locked', async () => {
    const one = await open(url);
    await Promise.all([1, 2].map(() => one.inbox.accept(incoming('arbitrary'))));
    await one.claims.claim();
    await leave(one);
    await one.inbox.close();
    const release = await lock('SELECT FROM plant_store.delivery WHERE id = 1 FOR UPDATE');
    const other = await open(url);

    expect(await other.next()).toMatchObject({ id: 2, attempts: 2 });
    await release();
    expect(await other.next()).toMatchObject({ id: 1, attempts: 2 });
  });

  test('leave expired leases alone after an outage, until those had time to renew them', async () => {
    const [one, other] = [await open(url), await open(url)];
    await one.inbox.accept(incoming('arbitrary'));
    await one.next();
    await sql(`UPDATE plant_store.receiver SET expires_at = now() - interval '1 second', epoch = DEFAULT`);
    await open(url);

    expect(await other.claims.claim()).toEqual([]);
    expect(await one.inbox.operations.find(1)).toMatchObject({ state: 'running' });
  });

  test('take over nothing after a pause of the database that was shorter than their own lease', async () => {
    const [one, other] = [await open(url), await open(url)];
    await one.inbox.accept(incoming('arbitrary'));
    await one.next();
    await leave(one);
    // Both have extended their leases before the pause, the other one later.
    await sql(`UPDATE plant_store.receiver SET since = now() - interval '1 hour',
        expires_at = now() + interval '2 seconds';
      INSERT INTO plant_store.receiver VALUES ('ended', DEFAULT, now() - interval '1 hour', now())`);

    expect(await sql(abandonedFor(other))).toBe('0');
    const isExtended = `SELECT every(expires_at > now() + interval '9 seconds') FROM plant_store.receiver WHERE name <> 'ended'`;
    while ((await sql(isExtended)) !== 't') await delay(50);
    expect(await sql(abandonedFor(other))).toBe('0');
    expect(
      await sql("SELECT count(*) FROM plant_store.receiver WHERE since < now() - interval '1 minute'"),
    ).toBe('1');
  });

  test('take over what one was running that has ended while the clock was ahead', async () => {
    const [one, other] = [await open(url), await open(url)];
    const id = await one.inbox.accept(incoming('arbitrary'));
    await one.next();
    await leave(one);
    await sql(`UPDATE plant_store.receiver SET since = now() - interval '1 hour';
      INSERT INTO plant_store.receiver VALUES ('ended', DEFAULT, now() + interval '5 years', now() + interval '5 years')`);

    expect(await other.next()).toMatchObject({ id, attempts: 2 });
    while ((await sql("SELECT count(*) FROM plant_store.receiver WHERE name = 'ended'")) !== '0')
      await delay(50);
  });

  test.each([
    ['was ahead', '+'],
    ['was behind', '-'],
  ])(
    'leave those alone that have not extended their lease since a clock is right that %s',
    async (_name, sign) => {
      const [one, other] = [await open(url), await open(url)];
      await one.inbox.accept(incoming('arbitrary'));
      await one.next();
      await leave(one);
      const wrong = `now() ${sign} interval '5 years'`;
      await sql(`INSERT INTO plant_store.receiver VALUES ('ended', DEFAULT, now(), now());
      UPDATE plant_store.receiver SET since = ${wrong}, expires_at = ${wrong}`);
      await Promise.all([one, other].map(({ inbox }) => untilWritten(inbox)));

      expect(await sql(abandonedFor(other))).toBe('0');
      expect(
        await sql(
          'SELECT count(*) FROM plant_store.receiver WHERE abs(extract(epoch FROM now() - since)) < 60',
        ),
      ).toBe('2');
    },
  );

  test('keep their lease while they wait for their last attempt', async () => {
    const { inbox, next } = await open(url);
    await inbox.accept(incoming('arbitrary'));
    const claimed = await next();
    await inbox.drain();
    const expiry = (): Promise<string> => sql('SELECT expires_at FROM plant_store.receiver');
    for (let renewals = 0; renewals < 2; renewals += 1) {
      const before = await expiry();
      while ((await expiry()) === before) await delay(50);
    }
    inbox.settle(claimed, HANDLED);
    await inbox.drain();

    expect(await inbox.operations.find(1)).toMatchObject({ state: 'handled' });
  });

  test('extend their lease though their connections have gone silent', async () => {
    const { inbox } = await open(url);
    await untilWritten(inbox);
    const after = await sql("SELECT expires_at + interval '5 seconds' FROM plant_store.receiver");
    const sessions = `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'plant-store-webhook'`;
    for (const pid of (await sql(sessions)).split('\n').map(Number)) {
      process.kill(pid, 'SIGSTOP');
      afterThisTest(() => process.kill(pid, 'SIGCONT'));
    }

    while ((await sql(`SELECT expires_at > '${after}' FROM plant_store.receiver`)) !== 't') await delay(50);
  });

  test('keep the age of their lease after a write that the database has refused', async () => {
    const { inbox } = await open(url);
    await untilWritten(inbox);
    await sql("UPDATE plant_store.receiver SET since = now() - interval '1 hour'");
    const release = await lock('LOCK plant_store.act IN ACCESS EXCLUSIVE MODE');

    await rejection(inbox.operations.acts.begin('replay', {}, originOf('arbitrary')));
    await release();
    await untilWritten(inbox);
    expect(await sql("SELECT since < now() - interval '1 minute' FROM plant_store.receiver")).toBe('t');
  });

  test('write nothing by a lease that is lost', async () => {
    const { inbox } = await open(url);
    const client = new pg.Client(url);
    await client.connect();
    const lease = await Lease.take(client, inbox.receiver);
    await sql('UPDATE plant_store.receiver SET epoch = DEFAULT');
    const input = { arrivals: [{ ...incoming('late'), key: randomUUID() }], results: [], polls: true };

    expect(await runCycle(client, lease, { places: 1, suspect: true }, input)).toBeUndefined();
    expect([await lease.extend(client), lease.isHeld()]).toEqual([false, false]);
    await client.end();
    // The inbox notices, and takes a new one.
    expect(await inbox.accept(incoming('arbitrary'))).toBe(1);
  });

  test('hold no lease that lapsed while they stood still, and let nothing begin that they had claimed by it', async () => {
    const { inbox, next } = await open(url);
    const { now } = Date;
    await Promise.all([1, 2].map(() => inbox.accept(incoming('arbitrary'))));
    const claimed = await next();
    expect(inbox.mayBegin(claimed)).toBe(true);
    // As after the sleep of the machine, during which the monotonic clock stands still.
    Date.now = () => now() + LEASE_TIME;
    afterThisTest(() => (Date.now = now));
    expect(inbox.mayBegin(claimed)).toBe(false);
    Date.now = now;
    expect(inbox.mayBegin(claimed)).toBe(true);

    await sql(`UPDATE plant_store.receiver SET expires_at = now() - interval '1 second'`);
    expect(await next()).toMatchObject({ id: 2 });
    while (inbox.mayBegin(claimed)) await delay(50);
  });

  test('keep a result for later while somebody has its row locked, and store all others meanwhile', async () => {
    const { inbox, claims } = await open(url);
    await Promise.all([1, 2, 3].map(() => inbox.accept(incoming('arbitrary'))));
    const running = await claims.claim();
    const release = await lock('SELECT FROM plant_store.delivery WHERE id <> 2 FOR UPDATE');
    for (const [index, result] of [HANDLED, HANDLED, failed(0)].entries())
      inbox.settle(running[index]!, result);
    await untilStored(inbox);
    const states = 'SELECT id, state FROM plant_store.delivery ORDER BY id';

    expect(await sql(states)).toBe('1|running\n2|handled\n3|running');
    await release();
    while ((await sql(states)) !== '1|handled\n2|handled\n3|retrying') await delay(20);
  });

  test('one whose connection was lost during a commit waits for that, and hands on what it stored, once', async () => {
    const cable = new Cable(server.port);
    await cable.plug();
    const through = new URL(url);
    through.port = String(cable.port);
    const { inbox, next } = await open(through.href);
    const id = await inbox.accept(incoming('first'));
    const claimed = await next();
    // Another receiver is about to store the same event.
    const release = await lock(`INSERT INTO plant_store.event VALUES (sha256('an event'), 99, 1)`);
    inbox.settle(claimed, failed(3_600_000));
    const refused = rejection(inbox.accept(incoming('refused', { eventId: 'an event' })));
    await waits('transactionid');
    cable.cut();
    expect(await refused).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    await cable.plug();
    await waits('advisory');
    await release();

    expect(await next()).toMatchObject({ content: Buffer.from('refused'), attempts: 1 });
    expect(await inbox.operations.find(id)).toMatchObject({
      state: 'retrying',
      attempts: 1,
      history: [{ number: 1 }],
    });
    expect(await inbox.operations.stats()).toMatchObject({ retrying: 1, running: 1 });
  });

  test('one goes on after the check of a connection took longer than others wait for it', async () => {
    const cable = new Cable(server.port);
    await cable.plug();
    const through = new URL(url);
    through.port = String(cable.port);
    const connections = new Connections(postgresServers(`${through.href}?sslmode=disable`), {
      max: 1,
      connectionTimeoutMillis: 2_000,
    });
    afterThisTest(() => connections.close());
    const first = await connections.connect();
    const letGo = cable.hold();
    const second = connections.connect().then(
      (client) => client.release(),
      () => undefined,
    );
    const third = rejection(connections.connect());
    first.release(true);
    await third;
    letGo();
    await second;

    const again = await connections.connect();
    again.release();
  });

  test('tell events from none, though the database has array_nulls off', async () => {
    await sql(`ALTER DATABASE "${nameIn(url)}" SET array_nulls TO off`);
    const { inbox, next } = await open(url);
    await Promise.all([1, 2].map(() => inbox.accept(incoming('arbitrary'))));
    await inbox.accept(incoming('arbitrary', { eventId: 'NULL' }));
    inbox.settle(await next(), failed(0));
    await untilStored(inbox);

    expect(await sql('SELECT count(*), count(event_id) FROM plant_store.delivery')).toBe('3|1');
    expect(await inbox.operations.find(1)).toMatchObject({ eventId: null, history: [{ number: 1 }] });
  });

  test('one that goes silent keeps its locks no longer than it waits for a reply', async () => {
    const { inbox } = await open(url);
    const { store } = inbox as unknown as { readonly store: Store };

    expect(await store.run(query`SHOW idle_in_transaction_session_timeout`)).toEqual([
      { idle_in_transaction_session_timeout: '20s' },
    ]);
  });

  test('one goes on after a restart of the server, and refuses meanwhile', async () => {
    const own = await startPostgres();
    const inbox = await openShared(await own.createDatabase());
    await inbox.accept(incoming('arbitrary'));
    await own.stop();
    const refused = rejection(inbox.accept(incoming('arbitrary')));
    expect(await refused).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    const unreadable = {
      code: 'INBOX_UNUSABLE',
      message: expect.not.stringMatching(/could not|cannot be read|\.\./) as string,
    };
    expect(await rejection(inbox.operations.stats())).toMatchObject(unreadable);
    await own.start();
    // What arrives before it has come to itself is refused, too.
    while (!(await isWritable(inbox))) await delay(50);

    expect(await inbox.accept(incoming('arbitrary'))).toBeGreaterThan(1);
    expect(await inbox.operations.stats()).toMatchObject({ waiting: 2 });
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
    const { inbox, next } = await open(place);
    await untilStored(inbox);
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
    expect(await next()).toMatchObject({ id: 1, attempts: 1 });
  });

  (hasPgBouncer() ? test : test.skip)('work through PgBouncer that pools by transaction', async () => {
    const through = new URL(url);
    through.port = String(await startPgBouncer(server, afterThisTest));
    const [one, other] = [await open(through.href), await open(through.href)];
    await one.inbox.accept(incoming('arbitrary'));
    await other.inbox.accept(incoming('arbitrary', { eventId: 'a' }));
    await one.claims.settle(failed(0));

    expect(await other.next()).toMatchObject({ attempts: expect.any(Number) });
    const transactions = new PostgresTransactions(postgresServers(through.href), one.inbox.receiver);
    const again = await one.next();
    const work = async (client: TransactionClient): Promise<void> => {
      await client.query('SELECT');
    };
    await transactions.run(again, work, new AbortController().signal);
    expect(await one.inbox.operations.find(again.id)).toMatchObject({ state: 'handled' });
    await transactions.close();
  });

  describe('a transaction of the handler', () => {
    let inbox: Inbox;
    let next: Receiver['next'];
    let claimed: Delivery;
    let transactions: PostgresTransactions;
    const { signal } = new AbortController();

    beforeEach(async () => {
      ({ inbox, next } = await open(url));
      await sql('CREATE TABLE plant (name text)');
      await inbox.accept(incoming('arbitrary'));
      claimed = await next();
      transactions = new PostgresTransactions(postgresServers(url), inbox.receiver);
      afterThisTest(() => transactions.close());
    });

    const insert = (name: string) => async (client: TransactionClient) => {
      await client.query(`INSERT INTO plant VALUES ('${name}')`);
    };

    test('is committed together with the delivery, once, whatever the attempt reports', async () => {
      await transactions.run(claimed, insert('a'), signal);
      await transactions.run(claimed, insert('b'), signal);
      inbox.settle(claimed, failed(0));
      await untilStored(inbox);

      expect(await sql('SELECT name FROM plant')).toBe('a');
      expect(await inbox.operations.find(1)).toMatchObject({ state: 'handled', error: null });
    });

    test('that fails writes nothing, and the delivery may fail and come again', async () => {
      const fault = new Error('arbitrary');
      const work = async (client: TransactionClient): Promise<void> => {
        await insert('a')(client);
        throw fault;
      };

      expect(await rejection(transactions.run(claimed, work, signal))).toBe(fault);
      inbox.settle(claimed, failed(0));
      await untilStored(inbox);
      expect(await sql('SELECT count(*) FROM plant')).toBe('0');
      expect(await next()).toMatchObject({ id: 1, attempts: 2 });
    });

    test('of an attempt that was replayed after its commit changes nothing of the next one', async () => {
      await transactions.run(claimed, insert('a'), signal);
      await act(inbox, 'replay');
      const again = await next();
      inbox.settle(claimed, HANDLED);
      await untilStored(inbox);

      expect(await rejection(transactions.run(claimed, insert('b'), signal))).toMatchObject({
        message: 'This attempt has lost delivery 1, to another receiver or an operator.',
      });
      expect(await inbox.operations.find(1)).toMatchObject({ state: 'running' });
      await transactions.run(again, insert('c'), signal);
      expect(await sql('SELECT name FROM plant ORDER BY name')).toBe('a\nc');
    });

    test('is rolled back when the attempt is broken off', async () => {
      const stopping = new AbortController();
      const work = async (client: TransactionClient): Promise<void> => {
        await insert('a')(client);
        stopping.abort();
        await client.query('SELECT pg_sleep(60)');
      };

      await rejection(transactions.run(claimed, work, stopping.signal));
      inbox.settle(claimed, failed(0));
      await untilStored(inbox);
      expect(await sql('SELECT count(*) FROM plant')).toBe('0');
    });
  });
});
