import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { afterThisTest } from '@plant-store/test-support';
import { POSTGRES_PASSWORD, type PostgresServer } from '@plant-store/test-support/postgres';
import { postgresOfThisFile, startPostgres, withPostgres } from '@plant-store/test-support/postgres-tests';
import pg from 'pg';

import { postgresServers } from '../../src/config/postgres-url.js';
import { ReceiverError } from '../../src/errors.js';
import type { Inbox } from '../../src/inbox/inbox.js';
import { claimBacklog } from '../../src/inbox/postgres/claim-statements.js';
import { openPostgresInbox } from '../../src/inbox/postgres/postgres-inbox.js';
import { SCHEMA_VERSION } from '../../src/inbox/postgres/schema.js';
import { failed, HANDLED, incoming, PARKED, setClock } from '../open-inbox.js';
import { type LogRecord, recordLog } from '../record-log.js';
import { rejection } from '../rejection.js';

const LATER = 3_600_000;
const DAY = 86_400_000;

async function open(url: string, log: LogRecord = recordLog()): Promise<Inbox> {
  const inbox = await openPostgresInbox(postgresServers(url), log.logger);
  afterThisTest(() => inbox.close());
  return inbox;
}

const idsOf = (deliveries: readonly { readonly id: number }[]): number[] => deliveries.map(({ id }) => id);

/** Resolves when an inbox calls back. */
const wakeOf = (inbox: Inbox): Promise<void> => new Promise((resolve) => inbox.watch!(resolve));

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

/** A connection to a server that can be cut, or on which bytes can stop while it stays. */
class Cable {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  /** Connections that were made while bytes had stopped. Undefined while they flow. */
  #waiting: Socket[] | undefined;
  port = 0;

  constructor(private readonly target: number) {
    afterThisTest(() => this.cut());
  }

  async plug(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket.on('error', () => undefined));
      if (this.#waiting === undefined) this.#connect(socket);
      else this.#waiting.push(socket.pause());
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** New connections wait. */
  hold(): void {
    this.#waiting = [];
  }

  /** Resolves when so many new connections wait. */
  async holds(count: number): Promise<void> {
    while (this.#waiting!.length < count) await turnOfTheLoop();
  }

  /** No byte passes any more. Nobody is told. */
  stall(): void {
    this.hold();
    for (const socket of this.#sockets) socket.unpipe().removeAllListeners('close').pause();
  }

  /** Bytes pass again, on connections that wait and on new ones. */
  flow(): void {
    for (const socket of this.#waiting?.splice(0) ?? []) this.#connect(socket);
    this.#waiting = undefined;
  }

  #connect(socket: Socket): void {
    const onward = connect(this.target, '127.0.0.1');
    this.#sockets.add(onward.on('error', () => undefined));
    for (const end of [socket, onward])
      end.on('close', () => [socket, onward].forEach((each) => each.destroy()));
    socket.pipe(onward).pipe(socket);
  }

  cut(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}

withPostgres('receivers on one database', () => {
  let server: PostgresServer;
  let url: string;

  beforeEach(async () => {
    server = await postgresOfThisFile();
    url = await server.createDatabase();
  });

  /** A receiver behind a cable. */
  const openBehindCable = async (
    log?: LogRecord,
    parameters = '',
  ): Promise<{ inbox: Inbox; cable: Cable }> => {
    const cable = new Cable(server.port);
    await cable.plug();
    const through = new URL(url);
    through.port = String(cable.port);
    through.search = parameters;
    return { inbox: await open(through.href, log), cable };
  };

  test('that start together make the tables once', async () => {
    const inboxes = await Promise.all([open(url), open(url), open(url)]);

    const ids = await Promise.all(inboxes.map((inbox) => inbox.accept(incoming('arbitrary'))));

    expect(ids.sort()).toEqual([1, 2, 3]);
    expect(await server.psql('SELECT version FROM plant_store.schema_version', nameIn(url))).toBe(
      String(SCHEMA_VERSION),
    );
  });

  test('count together, and handle each delivery once', async () => {
    const [one, other] = [await open(url), await open(url)];
    await Promise.all([one, other, one].map((inbox) => inbox.accept(incoming('arbitrary'))));
    expect(await one.stats()).toMatchObject({ waiting: 3, parked: 0 });
    const claimed = [...(await one.claim(10)).deliveries, ...(await other.claim(10)).deliveries];
    expect(idsOf(claimed).sort()).toEqual([1, 2, 3]);
    for (const inbox of [one, other]) expect((await inbox.claim(10)).deliveries).toEqual([]);
  });

  test('share what failed: it comes to one of them', async () => {
    const [one, other] = [await open(url), await open(url)];
    await one.accept(incoming('arbitrary'));
    await one.settle((await one.claim(1)).deliveries[0]!, failed(0));
    const found = (await Promise.all([one.claim(10), other.claim(10)])).flatMap(
      ({ deliveries }) => deliveries,
    );

    expect(found).toMatchObject([{ id: 1, failures: 1 }]);
  });

  test('go on when the handler is resumed at another one', async () => {
    const [one, other] = [await open(url), await open(url)];
    await other.setPaused(true);
    while (!(await one.stats()).isPaused);
    await one.accept(incoming('arbitrary'));
    expect((await one.claim(10)).deliveries).toEqual([]);
    const woken = wakeOf(one);
    await other.setPaused(false);
    await woken;

    expect(idsOf((await one.claim(10)).deliveries)).toEqual([1]);
  });

  test('a look that began before a pause does not undo it', async () => {
    const inbox = await open(url);
    await inbox.accept(incoming('arbitrary'));
    const other = new pg.Client(url);
    await other.connect();
    afterThisTest(() => other.end());
    // A look at the pause waits after it has read.
    await other.query(`SELECT pg_advisory_lock(1);
      ALTER TABLE plant_store.handler RENAME TO real_handler;
      CREATE FUNCTION plant_store.hold() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          IF current_query() LIKE 'SELECT is_paused%' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
          RETURN true;
        END $$;
      CREATE VIEW plant_store.handler AS SELECT is_paused FROM plant_store.real_handler WHERE plant_store.hold()`);
    while ((await countWaiting()) < 1);

    await inbox.setPaused(true);
    await other.query('SELECT pg_advisory_unlock(1)');
    while ((await countWaiting()) > 0);

    expect((await inbox.claim(1)).deliveries).toEqual([]);
  });

  test('a claim that is under way ends before the handler is paused', async () => {
    const inbox = await open(url);
    await inbox.accept(incoming('arbitrary'));
    await inbox.settle((await inbox.claim(1)).deliveries[0]!, failed(0));
    const other = new pg.Client(url);
    await other.connect();
    afterThisTest(() => other.end());
    await other.query('BEGIN; LOCK TABLE plant_store.delivery');
    let isClaimed = false;
    const claiming = inbox.claim(1).finally(() => (isClaimed = true));
    while ((await countWaiting()) < 1);

    const pausing = inbox.setPaused(true).then(turnOfTheLoop);
    const isPaused = 'SELECT is_paused FROM plant_store.handler';
    while ((await server.psql(isPaused, nameIn(url))) !== 't');
    await Promise.race([pausing, other.query('COMMIT')]);
    await pausing;

    expect(isClaimed).toBe(true);
    expect(idsOf((await claiming).deliveries)).toEqual([1]);
  });

  test('store an event once, also if it comes to both at the same time', async () => {
    const inboxes = [await open(url), await open(url)];
    const events = Array.from({ length: 200 }, (_, index) => `event ${index % 20}`);

    const ids = await Promise.all(
      events.map((eventId, index) => inboxes[index % 2]!.accept(incoming('arbitrary', { eventId }))),
    );

    const idOf = new Map(events.map((event, index) => [event, ids[index]]));
    expect(ids).toEqual(events.map((event) => idOf.get(event)));
    expect(await inboxes[0]!.stats()).toMatchObject({ waiting: 20, parked: 0 });
  });

  test('store the same events at the same time, in whatever order, and none waits for a deadlock', async () => {
    const inboxes = [await open(url), await open(url)];
    await server.psql(
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END $$;
       CREATE TRIGGER wait BEFORE INSERT ON plant_store.event FOR EACH ROW EXECUTE FUNCTION wait();`,
      nameIn(url),
    );
    const orders = [
      ['a', 'b'],
      ['b', 'a'],
    ];

    const [ids, idsOfOther] = await Promise.all(
      orders.map((events, index) =>
        Promise.all(events.map((eventId) => inboxes[index]!.accept(incoming('arbitrary', { eventId })))),
      ),
    );

    expect(idsOfOther!.toReversed()).toEqual(ids);
    expect(server.log).not.toContain('deadlock detected');
  });

  test('a repeated event waits until the first one is committed', async () => {
    const inbox = await open(url);
    await inbox.accept(incoming('arbitrary', { eventId: 'a' }));
    const blocker = server.psql(
      `BEGIN; INSERT INTO plant_store.event (key, delivery_id) VALUES (sha256('b'), 77); SELECT pg_sleep(1); COMMIT`,
      nameIn(url),
    );
    let isCommitted = false;
    const committed = blocker.then(() => (isCommitted = true));
    const isThere = `SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1)%' AND datname = '${nameIn(url)}' AND wait_event = 'PgSleep'`;
    while ((await server.psql(isThere)) !== '1');

    expect(await inbox.accept(incoming('arbitrary', { eventId: 'b' }))).toBe(77);
    await committed;
    expect(isCommitted).toBe(true);
    expect(await inbox.stats()).toMatchObject({ waiting: 1, parked: 0 });
  });

  test('take up the work of one that is gone, and count what its handler had as cut off', async () => {
    const { inbox: gone, cable } = await openBehindCable();
    const inbox = await open(url);
    for (let count = 0; count < 4; count += 1) await gone.accept(incoming('arbitrary'));
    await gone.settle((await gone.claim(1)).deliveries[0]!, failed(LATER));
    await gone.claim(1);
    const woken = wakeOf(inbox);
    cable.cut();
    await woken;

    const { deliveries, interrupted } = await inbox.claim(10);

    expect(interrupted).toEqual([{ id: 2, failures: 0 }]);
    expect(idsOf(deliveries)).toEqual([3, 4]);
    await inbox.settle(interrupted![0]!, { ...failed(0), suspect: true } as never);
    for (const delivery of deliveries) await inbox.settle(delivery, HANDLED);
    expect((await inbox.claim(10)).deliveries).toMatchObject([{ id: 2, failures: 1, suspect: true }]);
    expect(await inbox.stats()).toMatchObject({ waiting: 2, parked: 0 });
  });

  /** Resolves when so many receivers and commands have a session. */
  const sessionsAre = async (count: number): Promise<void> => {
    const sessions = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid > 0
      AND database = (SELECT oid FROM pg_database WHERE datname = '${nameIn(url)}')`;
    while ((await server.psql(sessions)) !== String(count));
  };

  test('get what the handler of one that is gone had, although a command has opened the inbox meanwhile', async () => {
    const { inbox: gone, cable } = await openBehindCable();
    const inbox = await open(url);
    await gone.accept(incoming('arbitrary'));
    await gone.claim(1);
    const woken = wakeOf(inbox);
    cable.cut();
    await sessionsAre(1);
    const command = await open(url);
    expect(await command.stats()).toMatchObject({ waiting: 1 });
    await command.close();
    await woken;

    expect((await inbox.claim(10)).interrupted).toEqual([{ id: 1, failures: 0 }]);
  });

  test('get what one had taken up and not counted as failed when it was stopped', async () => {
    const { inbox: gone, cable } = await openBehindCable();
    const stopped = await open(url);
    await gone.accept(incoming('arbitrary'));
    await gone.claim(1);
    const taken = wakeOf(stopped);
    cable.cut();
    await taken;
    const inbox = await open(url);
    const woken = wakeOf(inbox);
    await stopped.close();
    await woken;

    expect((await inbox.claim(10)).interrupted).toEqual([{ id: 1, failures: 0 }]);
    await inbox.settle({ id: 1, failures: 0 }, failed(0));
    expect((await inbox.claim(10)).deliveries).toMatchObject([{ id: 1, failures: 1 }]);
  });

  test('one that has just started looks for its own after what others have stored', async () => {
    const before = await open(url);
    for (const text of ['1', '2', '3']) await before.accept(incoming(text));
    const inbox = await open(url);
    await inbox.setPaused(true);

    await inbox.accept(incoming('4'));

    const progress = 'SELECT max(handled_through) FROM plant_store.progress';
    expect(await server.psql(progress, nameIn(url))).toBe('3');
    expect(await before.stats()).toMatchObject({ waiting: 4, handled: 0 });
  });

  test('one that starts leaves its work to one that comes back', async () => {
    const { inbox, cable } = await openBehindCable();
    await inbox.accept(incoming('arbitrary'));
    const [delivery] = (await inbox.claim(1)).deliveries;
    cable.cut();
    await sessionsAre(0);
    const starting = await open(url);
    const back = wakeOf(inbox);
    await cable.plug();
    await back;

    expect(await starting.recover(LATER)).toEqual([]);
    expect((await starting.claim(10)).deliveries).toEqual([]);
    await inbox.settle(delivery!, HANDLED);
    expect(await starting.stats()).toMatchObject({ waiting: 0, handled: 1 });
  });

  test('one whose handler is quick stores a delivery together with the mark that it has begun', async () => {
    const inbox = await open(url);
    await Promise.all(Array.from({ length: 64 }, () => inbox.accept(incoming('arbitrary'))));
    const { deliveries } = await inbox.claim(64);
    await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, HANDLED)));
    const marks = (): Promise<string> =>
      server.psql('SELECT ids FROM plant_store.under_way ORDER BY number', nameIn(url));
    const before = await marks();

    await inbox.accept(incoming('arbitrary'));

    expect(await marks()).toBe(`${before}\n{65}`);
    expect(idsOf((await inbox.claim(1)).deliveries)).toEqual([65]);
    expect(await marks()).toBe(`${before}\n{65}`);
  });

  test('one that comes back settles nothing that another has taken up', async () => {
    const { inbox: slow, cable } = await openBehindCable();
    const inbox = await open(url);
    await slow.accept(incoming('arbitrary'));
    const [delivery] = (await slow.claim(1)).deliveries;
    const woken = wakeOf(inbox);
    cable.cut();
    await woken;
    const { interrupted } = await inbox.claim(10);
    expect(await rejection(slow.settle(delivery!, HANDLED))).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    const back = wakeOf(slow);
    await cable.plug();
    await back;
    await slow.settle(delivery!, HANDLED);
    await inbox.settle(interrupted![0]!, failed(0));

    expect((await inbox.claim(10)).deliveries).toMatchObject([{ id: 1, failures: 1 }]);
  });

  test('one that only lost its connection keeps what its handler has, and says so once', async () => {
    const log = recordLog();
    const { inbox, cable } = await openBehindCable(log);
    await inbox.accept(incoming('arbitrary'));
    await inbox.accept(incoming('arbitrary'));
    const [delivery] = (await inbox.claim(1)).deliveries;
    cable.cut();
    await log.line('lost the connection to the inbox; no delivery is accepted until it is back');
    const refused = await rejection(inbox.accept(incoming('arbitrary')));
    expect(refused).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    const back = wakeOf(inbox);
    await cable.plug();
    await back;
    await inbox.settle(delivery!, HANDLED);

    expect(idsOf((await inbox.claim(10)).deliveries)).toEqual([2]);
    expect((await inbox.list({}, { order: 'oldest first', limit: 10 })).map(({ state }) => state)).toEqual([
      'handled',
      'waiting',
    ]);
    expect(log.lines.map(({ msg }) => msg)).toEqual([
      'lost the connection to the inbox; no delivery is accepted until it is back',
      'connected to the inbox again',
    ]);
  });

  test('one that comes back leaves the connection of another that takes up its work', async () => {
    const { inbox: slow, cable } = await openBehindCable();
    const log = recordLog();
    const inbox = await open(url, log);
    const woken = wakeOf(inbox);
    await slow.accept(incoming('arbitrary'));
    await slow.claim(1);
    const other = new pg.Client(url);
    await other.connect();
    afterThisTest(() => other.end());
    await other.query('BEGIN; LOCK TABLE plant_store.total IN SHARE MODE');
    cable.cut();
    while ((await countWaiting()) < 1);
    const back = wakeOf(slow);
    await cable.plug();
    await back;
    await other.query('COMMIT');
    await woken;

    expect((await inbox.claim(10)).interrupted).toEqual([{ id: 1, failures: 0 }]);
    expect(log.lines).toEqual([]);
  });

  test('one that only lost its connection counts no attempt that has not begun as failed', async () => {
    const { inbox, cable } = await openBehindCable();
    await Promise.all(Array.from({ length: 64 }, () => inbox.accept(incoming('arbitrary'))));
    const { deliveries: quick } = await inbox.claim(64);
    await Promise.all(quick.map((delivery) => inbox.settle(delivery, HANDLED)));
    for (let count = 0; count < 3; count += 1) await inbox.accept(incoming('arbitrary'));
    const [running] = (await inbox.claim(1)).deliveries;
    const back = wakeOf(inbox);
    cable.cut();
    await cable.plug();
    await back;

    const { deliveries, interrupted } = await inbox.claim(10);

    expect(interrupted).toBeUndefined();
    expect(idsOf(deliveries)).toEqual([66, 67]);
    await inbox.settle(running!, HANDLED);
    expect(await inbox.stats()).toMatchObject({ waiting: 2, handled: 65 });
  });

  test('one whose bytes stop on the way refuses, and goes on by itself with all that it accepted', async () => {
    const log = recordLog();
    const { inbox, cable } = await openBehindCable(log, 'query_timeout=1000');
    await inbox.accept(incoming('arbitrary'));
    await inbox.accept(incoming('arbitrary'));
    const [delivery] = (await inbox.claim(1)).deliveries;
    cable.stall();

    expect(await rejection(inbox.accept(incoming('refused')))).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    expect(await rejection(inbox.accept(incoming('refused')))).toMatchObject({ code: 'INBOX_WRITE_FAILED' });

    cable.flow();
    await log.line('connected to the inbox again');
    await inbox.settle(delivery!, HANDLED);
    expect(await inbox.accept(incoming('arbitrary'))).toBeGreaterThan(2);
    const states = (await inbox.list({}, { order: 'oldest first', limit: 10 })).map(({ state }) => state);
    expect(states).toEqual(['handled', 'waiting', 'waiting']);
    expect(idsOf((await inbox.claim(10)).deliveries)).toContain(2);
  });

  test('one whose connection breaks during a commit refuses, and hands on what was stored all the same', async () => {
    const { inbox, cable } = await openBehindCable();
    const other = new pg.Client(url);
    await other.connect();
    afterThisTest(() => other.end());
    await other.query('BEGIN; LOCK TABLE plant_store.delivery IN SHARE MODE');
    const accepting = rejection(inbox.accept(incoming('refused')));
    while ((await countWaiting()) < 1);
    cable.stall();
    await other.query('COMMIT');
    while ((await server.psql('SELECT count(*) FROM plant_store.delivery', nameIn(url))) !== '1');
    const back = wakeOf(inbox);
    cable.cut();
    cable.flow();
    await cable.plug();

    expect(await accepting).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    await back;
    const [delivery] = (await inbox.claim(10)).deliveries;
    expect(String(delivery!.content)).toBe('refused');
  });

  test('one that has lost its connection stops without another try to connect', async () => {
    const log = recordLog();
    const { inbox, cable } = await openBehindCable(log);
    cable.cut();
    cable.stall();
    await cable.plug();
    await log.line('lost the connection to the inbox; no delivery is accepted until it is back');

    await inbox.close();
  });

  test('one whose bytes stop on the way can be stopped at once', async () => {
    const { inbox, cable } = await openBehindCable();
    await inbox.accept(incoming('arbitrary'));
    cable.stall();
    const accepting = rejection(inbox.accept(incoming('refused')));
    const closing = inbox.close();
    inbox.abandon!();
    await closing;

    expect(await accepting).toMatchObject({ code: 'INBOX_WRITE_FAILED' });
    expect(idsOf(await (await open(url)).list({}, { order: 'oldest first', limit: 10 }))).toEqual([1]);
  });

  const countConnections = (): Promise<string> =>
    server.psql(
      `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plant-store-webhook' AND datname = '${nameIn(url)}'`,
    );

  test('one that is closed while it connects for an operator keeps no connection', async () => {
    const { inbox, cable } = await openBehindCable();
    cable.hold();
    const counting = rejection(inbox.stats());
    await cable.holds(1);
    await inbox.close();
    cable.flow();

    expect(await counting).toMatchObject({ code: 'INBOX_UNUSABLE' });
    while ((await countConnections()) !== '0');
  });

  test('one that is lost while it connects for an operator keeps no connection', async () => {
    const { inbox, cable } = await openBehindCable();
    cable.hold();
    const counting = rejection(inbox.stats());
    await cable.holds(1);
    const back = wakeOf(inbox);
    await server.psql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameIn(url)}'`,
    );
    await cable.holds(2);
    cable.flow();
    await back;

    expect(await counting).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(await inbox.stats()).toMatchObject({ waiting: 0 });
    await inbox.close();
    while ((await countConnections()) !== '0');
  });

  test('counts each delivery once, although some are stored and settled meanwhile', async () => {
    const { inbox, cable } = await openBehindCable();
    await inbox.accept(incoming('arbitrary'));
    const [delivery] = (await inbox.claim(1)).deliveries;
    cable.hold();
    const counting = inbox.stats();
    await cable.holds(1);
    await inbox.settle(delivery!, failed(LATER));
    await inbox.accept(incoming('arbitrary'));
    cable.flow();

    expect(await counting).toMatchObject({ waiting: 2, handled: 0 });
  });

  test('reads a content back in parts that is too large to be read at once', async () => {
    const inbox = await open(url);
    const content = Buffer.alloc(5_000_001, 'arbitrary');
    await inbox.accept(incoming(content));
    const [delivery] = (await inbox.claim(1)).deliveries;
    await inbox.settle(delivery!, failed(0));

    const [again] = (await inbox.claim(1)).deliveries;
    expect(content.equals(again!.content)).toBe(true);
    expect(content.equals((await inbox.find(1))!.content)).toBe(true);
    const { deliveries } = await inbox.read({ filter: {}, after: 0, limit: 10 });
    expect(content.equals(deliveries[0]!.content)).toBe(true);
  });

  /** Lets each commit end with a warning. */
  const warnAtCommits = (): Promise<string> =>
    server.psql(
      `CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'not replicated'; RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON plant_store.progress DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION warn()`,
      nameIn(url),
    );

  test('a commit that ends with a warning counts as failed, and what it stored comes to the handler', async () => {
    const inbox = await open(url);
    await warnAtCommits();
    const back = wakeOf(inbox);

    expect(await rejection(inbox.accept(incoming('arbitrary')))).toMatchObject({
      code: 'INBOX_WRITE_FAILED',
    });

    await back;
    await server.psql('DROP TRIGGER warn ON plant_store.progress', nameIn(url));
    expect(idsOf((await inbox.claim(10)).deliveries)).toEqual([1]);
  });

  test('a result whose commit ended with a warning changes nothing of the next attempt', async () => {
    const inbox = await open(url);
    await inbox.accept(incoming('arbitrary'));
    const [first] = (await inbox.claim(1)).deliveries;
    await warnAtCommits();
    const back = wakeOf(inbox);
    await rejection(inbox.settle(first!, failed(0)));
    await back;
    await server.psql('DROP TRIGGER warn ON plant_store.progress', nameIn(url));
    const [next] = (await inbox.claim(1)).deliveries;
    expect(next).toMatchObject({ id: 1, failures: 1 });

    await inbox.settle(first!, failed(0));

    expect((await inbox.claim(1)).deliveries).toEqual([]);
    await inbox.settle(next!, HANDLED);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, handled: 1 });
  });

  test('drop an old part of the deliveries as a whole, and keep what must stay of it', async () => {
    const inbox = await open(url);
    const restore = setClock(-2 * DAY);
    for (let count = 0; count < 5; count += 1) await inbox.accept(incoming(`content ${count + 1}`));
    restore();
    const results = [PARKED, failed(0), PARKED, HANDLED];
    for (const delivery of (await inbox.claim(4)).deliveries) await inbox.settle(delivery, results.shift()!);
    await inbox.discard({ filter: { firstId: 3 }, after: 0, limit: 1 }, 'arbitrary');
    await server.psql(`UPDATE plant_store.part SET created_at = now() - interval '1 day'`, nameIn(url));
    const retention = { maxBytes: undefined, maxEventAge: 100 * DAY };
    expect(await inbox.removeExpired({ ...retention, maxAge: 10 * DAY })).toBe(0);
    await inbox.accept(incoming('in the next part'));

    expect(await inbox.removeExpired({ ...retention, maxAge: DAY })).toBe(2);

    expect(await server.psql(`SELECT to_regclass('plant_store.delivery_1') IS NULL`, nameIn(url))).toBe('t');
    const left = await inbox.list({}, { order: 'oldest first', limit: 10 });
    expect(idsOf(left)).toEqual([1, 2, 5, 6]);
    expect(await inbox.stats()).toMatchObject({ waiting: 3, handled: 0, parked: 1, discarded: 0 });
    const { deliveries } = await inbox.claim(10);
    expect(deliveries.map(({ content }) => Buffer.from(content).toString())).toEqual([
      'content 2',
      'content 5',
      'in the next part',
    ]);
  });

  /** An inbox with four parked deliveries in a part that is to be dropped, and what drops it. */
  const openWithOldPart = async (): Promise<{ inbox: Inbox; dropPart: () => Promise<number> }> => {
    const inbox = await open(url);
    const restore = setClock(-2 * DAY);
    for (let count = 0; count < 5; count += 1) await inbox.accept(incoming('arbitrary'));
    restore();
    const results = [PARKED, PARKED, PARKED, PARKED, HANDLED];
    for (const delivery of (await inbox.claim(5)).deliveries) await inbox.settle(delivery, results.shift()!);
    await server.psql(`UPDATE plant_store.part SET created_at = now() - interval '1 day'`, nameIn(url));
    const retention = { maxBytes: undefined, maxEventAge: 100 * DAY };
    expect(await inbox.removeExpired({ ...retention, maxAge: 10 * DAY })).toBe(0);
    return { inbox, dropPart: () => inbox.removeExpired({ ...retention, maxAge: DAY }) };
  };

  const hasPart = (): Promise<string> =>
    server.psql(`SELECT to_regclass('plant_store.delivery_1') IS NOT NULL`, nameIn(url));

  /** How many sessions wait for a lock. */
  const countWaiting = async (): Promise<number> => {
    const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${nameIn(url)}'`;
    return Number(await server.psql(waiting));
  };

  /** A session that has read a table, in a transaction that goes on. */
  const read = async (table: string): Promise<pg.Client> => {
    const reader = new pg.Client(url);
    await reader.connect();
    afterThisTest(() => reader.end());
    await reader.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT; LOCK TABLE ONLY ${table} IN ACCESS SHARE MODE`,
    );
    return reader;
  };

  test('drop a part later if somebody used the deliveries for long when it was to be detached', async () => {
    const { inbox, dropPart } = await openWithOldPart();
    const reader = await read('plant_store.delivery');

    expect(await dropPart()).toBe(1);
    expect(await dropPart()).toBe(0);
    expect(await hasPart()).toBe('t');
    await expect(server.psql(storeIn(1), nameIn(url))).rejects.toThrow('violates check constraint');
    await reader.query('COMMIT');
    expect(await dropPart()).toBe(0);

    expect(await hasPart()).toBe('f');
    expect(idsOf(await inbox.list({}, { order: 'oldest first', limit: 10 }))).toEqual([1, 2, 3, 4]);
  });

  /** Stores a delivery as a receiver does that has not looked for the newest part. */
  const storeIn = (part: number): string =>
    `INSERT INTO plant_store.delivery_${part} (id, part, received_at, method, fields, content)
     VALUES (9, ${part}, now(), 'POST', '[]', '')`;

  test('drop a part in which somebody stored something after it was emptied, and keep that', async () => {
    const { inbox, dropPart } = await openWithOldPart();
    await server.psql(`DELETE FROM plant_store.part WHERE part = 1; ${storeIn(1)}`, nameIn(url));

    await dropPart();

    expect(await hasPart()).toBe('f');
    expect(idsOf(await inbox.list({}, { order: 'oldest first', limit: 10 }))).toEqual([1, 2, 3, 4, 9]);
  });

  test('accept deliveries while the part is emptied in which they store them', async () => {
    const inbox = await open(url);
    await inbox.accept(incoming('in the first part'));
    await server.psql(
      `CREATE TABLE plant_store.delivery_2 (LIKE plant_store.delivery INCLUDING ALL);
       ALTER TABLE plant_store.delivery ATTACH PARTITION plant_store.delivery_2 FOR VALUES IN (2);
       INSERT INTO plant_store.part (part) VALUES (2);
       ALTER TABLE plant_store.delivery_1 ADD CHECK (false) NOT VALID`,
      nameIn(url),
    );

    await inbox.accept(incoming('in the second part'));

    expect(idsOf((await inbox.claim(10)).deliveries)).toHaveLength(2);
    expect(await server.psql('SELECT count(*) FROM plant_store.delivery_2', nameIn(url))).toBe('1');
  });

  test('do what operators ask for while they wait for somebody to drop a part', async () => {
    const { inbox, dropPart } = await openWithOldPart();
    await read('plant_store.delivery_1');
    let isOver = false;
    const isDropping = (): boolean => !isOver;
    const dropping = dropPart().finally(() => (isOver = true));
    let replayed = 0;
    while (isDropping() && replayed < 4) {
      const batch = { filter: { firstId: replayed + 1, lastId: replayed + 1 }, after: 0, limit: 1 };
      expect(await inbox.replay(batch)).toMatchObject({ changed: 1 });
      replayed += 1;
      while (isDropping() && (await countWaiting()) === 0);
    }

    expect(await dropping).toBe(0);
    expect(await inbox.stats()).toMatchObject({ parked: 4 - replayed, waiting: replayed });
  });

  test('drop the oldest parts once all take too much space, and keep what must stay of them', async () => {
    const inbox = await open(url);
    const retention = { maxAge: 100 * DAY, maxBytes: 4_000_000, maxEventAge: 100 * DAY };
    const results = [PARKED, failed(LATER)];
    for (let round = 0; round < 6; round += 1) {
      for (let count = 0; count < 4; count += 1) await inbox.accept(incoming(Buffer.alloc(300_000, 'a')));
      for (const delivery of (await inbox.claim(4)).deliveries)
        await inbox.settle(delivery, results.shift() ?? HANDLED);
      await inbox.removeExpired(retention);
    }
    while ((await inbox.removeExpired(retention)) > 0);

    expect((await inbox.stats()).bytes).toBeLessThanOrEqual(retention.maxBytes);
    const left = await inbox.list({}, { order: 'oldest first', limit: 100 });
    expect(left.slice(0, 2)).toMatchObject([
      { id: 1, state: 'parked', bytes: 300_000 },
      { id: 2, state: 'waiting', bytes: 300_000 },
    ]);
    const handled = idsOf(left.slice(2));
    expect(handled.length).toBeGreaterThanOrEqual(4);
    expect(handled).toEqual(handled.map((_, index) => 25 - handled.length + index));

    await inbox.discard({ filter: { lastId: 1 }, after: 0, limit: 1 }, 'arbitrary');
    await inbox.removeExpired({ ...retention, maxBytes: 1 });
    expect(await inbox.find(1)).toBeUndefined();
  });

  test('replay nothing that is deleted meanwhile', async () => {
    const inbox = await open(url);
    const restore = setClock(-2 * DAY);
    for (let count = 0; count < 3; count += 1) await inbox.accept(incoming('arbitrary'));
    restore();
    for (const delivery of (await inbox.claim(3)).deliveries) await inbox.settle(delivery, HANDLED);
    const other = new pg.Client(url);
    await other.connect();
    afterThisTest(() => other.end());
    await other.query('BEGIN; LOCK TABLE plant_store.total IN SHARE MODE');

    const removing = inbox.removeExpired({ maxAge: DAY, maxBytes: undefined, maxEventAge: 100 * DAY });
    while ((await countWaiting()) < 1);
    const replaying = inbox.replay({ filter: {}, after: 0, limit: 10 });
    while ((await countWaiting()) < 2);
    await other.query('COMMIT');

    expect(await removing).toBe(3);
    expect(await replaying).toMatchObject({ changed: 0 });
    expect(await inbox.stats()).toMatchObject({ waiting: 0, handled: 0 });
  });

  test('replay nothing that was replayed and parked meanwhile', async () => {
    const [slow, quick] = [await open(url), await open(url)];
    await quick.accept(incoming('arbitrary'));
    await quick.settle((await quick.claim(1)).deliveries[0]!, HANDLED);
    const other = new pg.Client(url);
    await other.connect();
    afterThisTest(() => other.end());
    await other.query('BEGIN; LOCK TABLE plant_store.effect');
    const replays = [slow, quick].map((inbox) => inbox.replay({ filter: {}, after: 0, limit: 10 }));
    while ((await countWaiting()) < 2);
    await other.query(
      `INSERT INTO plant_store.parked (delivery_id, failures, error) VALUES (1, 1, 'arbitrary')`,
    );
    await other.query('COMMIT');

    for (const replay of replays) expect(await replay).toMatchObject({ changed: 0 });
    expect(await slow.stats()).toMatchObject({ waiting: 0, handled: 0, parked: 1 });
  });

  test('claim again what they could not read', async () => {
    const inbox = await open(url);
    await inbox.accept(incoming(Buffer.alloc(5_000_000, 'a')));
    await inbox.settle((await inbox.claim(1)).deliveries[0]!, failed(0));
    const client = new pg.Client(url);
    await client.connect();
    afterThisTest(() => client.end());
    const query = async (text: unknown, values: unknown[]): Promise<unknown> => {
      if (String(text).includes('substr')) throw new Error('arbitrary');
      return client.query(text as string, values);
    };
    await client.query('INSERT INTO plant_store.receiver (id, name) VALUES (99, $1)', ['arbitrary']);
    const start = { dueAt: '-infinity', id: 0 };

    await expect(claimBacklog({ query } as unknown as pg.Client, 99, start, 1)).rejects.toThrow('arbitrary');

    const claimed = `SELECT count(*) FROM plant_store.backlog WHERE receiver = 99`;
    expect(await server.psql(claimed, nameIn(url))).toBe('0');
  });

  test('are refused by a database that lacks characters', async () => {
    const name = 'without_unicode';
    await server.psql(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);

    const error = (await rejection(open(url.replace(nameIn(url), name)))) as ReceiverError;

    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(error.message).toContain('its encoding is LATIN1');
  });

  test('keep to their size after a larger backlog was handled, whatever was parked before', async () => {
    const inbox = await open(url);
    const retention = { maxAge: 100 * DAY, maxBytes: 3_000_000, maxEventAge: 100 * DAY };
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 4; count += 1) await inbox.accept(incoming(Buffer.alloc(300_000, 'a')));
      await inbox.removeExpired(retention);
    }
    expect(await inbox.stats()).toMatchObject({ waiting: 16 });
    const results = [PARKED, PARKED, PARKED, PARKED];
    for (const delivery of (await inbox.claim(16)).deliveries)
      await inbox.settle(delivery, results.shift() ?? HANDLED);
    while ((await inbox.removeExpired(retention)) > 0);

    const { bytes, ...stats } = await inbox.stats();
    expect(bytes).toBeLessThanOrEqual(retention.maxBytes);
    expect(stats).toMatchObject({ waiting: 0, parked: 4 });
    expect(idsOf(await inbox.list({ state: 'parked' }, { order: 'oldest first', limit: 10 }))).toEqual([
      1, 2, 3, 4,
    ]);
  });

  test('know how many deliveries there are after tables of version 1 were updated', async () => {
    const before = await open(url);
    for (let count = 0; count < 3; count += 1) await before.accept(incoming('arbitrary'));
    await before.settle((await before.claim(1)).deliveries[0]!, HANDLED);
    await before.close();
    await server.psql(
      `DROP TABLE plant_store.total; ALTER TABLE plant_store.progress DROP COLUMN stored;
       UPDATE plant_store.schema_version SET version = 1`,
      nameIn(url),
    );
    const inbox = await open(url);
    await inbox.accept(incoming('arbitrary'));

    expect(await inbox.stats()).toMatchObject({ handled: 1, waiting: 3 });
    expect(await server.psql('SELECT version FROM plant_store.schema_version', nameIn(url))).toBe(
      String(SCHEMA_VERSION),
    );
  });

  test('are refused by tables of a later version', async () => {
    await (await open(url)).close();
    await server.psql('UPDATE plant_store.schema_version SET version = 99', nameIn(url));

    const error = (await rejection(open(url))) as ReceiverError;

    expect(error).toMatchObject({ code: 'INBOX_UNUSABLE' });
    expect(error.message).toContain('version 99');
  });
});

withPostgres('a server', () => {
  test('that restarts is found again', async () => {
    const server = await startPostgres();
    const inbox = await open(await server.createDatabase());
    expect(await inbox.accept(incoming('before'))).toBe(1);
    await server.crash();
    const back = wakeOf(inbox);
    await server.start();
    await back;

    expect(await inbox.accept(incoming('after'))).toBeGreaterThan(1);
    expect(await inbox.stats()).toMatchObject({ waiting: 2, parked: 0 });
  });

  test('that cannot be used is left out for the next one', async () => {
    const server = await postgresOfThisFile();
    const url = new URL(await server.createDatabase());
    const others = `127.0.0.1:1,127.0.0.1:${server.port}`;
    const inbox = await open(url.href.replace(url.host, others));

    expect(inbox.location).toBe(`postgres://postgres@${others}${url.pathname}`);
    expect(await inbox.accept(incoming('arbitrary'))).toBe(1);
  });

  test.each<[name: string, urlOf: (server: PostgresServer) => Promise<string> | string, says: RegExp]>([
    [
      'that does not run',
      () => 'postgres://postgres@127.0.0.1:1/plants',
      /ECONNREFUSED.*Check that PostgreSQL runs/,
    ],
    [
      'with another password',
      (server) => server.url('postgres', { password: 'wrong-password' }),
      /password authentication failed.*Check the user and the password/,
    ],
    ['without the database', (server) => server.url('missing'), /does not exist\. Create the database/],
    [
      'that is read-only',
      async (server) => {
        const url = await server.createDatabase();
        await server.psql(`ALTER DATABASE ${nameIn(url)} SET default_transaction_read_only = on`);
        return url;
      },
      /it is read-only/,
    ],
    [
      'that does not flush',
      async () => (await startPostgres({ fsync: 'off' })).createDatabase(),
      /its setting fsync is off/,
    ],
    [
      'where the user has no right to create tables',
      async (server) => {
        const url = await server.createDatabase();
        await server.psql(
          `DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN PASSWORD '${POSTGRES_PASSWORD}'`,
        );
        return server.url(nameIn(url), { name: 'guest' });
      },
      /permission denied.*Give the user the rights/,
    ],
  ])('%s is refused in one line, without the password', async (_name, urlOf, says) => {
    const error = (await rejection(open(await urlOf(await postgresOfThisFile())))) as ReceiverError;

    expect(error).toBeInstanceOf(ReceiverError);
    expect(error.code).toBe('INBOX_UNUSABLE');
    expect(error.message).toMatch(says);
    expect(error.message).not.toMatch(/\n|password-of|wrong-password/);
  });
});
