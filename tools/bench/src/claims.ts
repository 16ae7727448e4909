/**
 * `npm run bench claims`: how long the receiver waits for deliveries of the backlog on PostgreSQL, after many went through
 * it, without and with another session that holds a snapshot since before the first. Nothing that was deleted can be
 * cleaned up then. Starts a server of its own on this machine. Takes a minute or two.
 */
import { PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';

/** Deliveries that go through the backlog: each is accepted, fails once, comes again and is handled. */
const DELIVERIES = Number(process.argv[2] ?? 100_000);

/** Deliveries that are accepted together. */
const BATCH = 2_000;

/** Results that wait to be stored, at most, as in the dispatcher. */
const MAX_UNSETTLED = 1_024;
/** How many a claim asks for at most, as for a handler with this concurrency. */
const CONCURRENCY = 8;

/** What of the built receiver is used here. */
interface Built {
  readonly openPostgresInbox: (servers: unknown, log: unknown) => Promise<BuiltInbox>;
  readonly postgresServers: (url: string) => unknown;
}
interface BuiltInbox {
  accept(delivery: object): Promise<number>;
  recover(maxWait: number): Promise<unknown>;
  claim(limit: number): Promise<{ deliveries: { id: number; failures: number }[] }>;
  settle(delivery: object, result: object): Promise<void>;
  close(): Promise<void>;
}

const built = (path: string): Promise<Built> =>
  import(new URL(`../../../apps/webhook/dist/${path}`, import.meta.url).href) as Promise<Built>;
const inboxes = await built('inbox/postgres/postgres-inbox.js');
const urls = await built('config/postgres-url.js');
const log = { warn: console.warn, info: () => undefined };

const delivery = {
  ...{ method: 'POST', mediaType: 'application/json', contentEncoding: null, eventId: null, fields: [] },
  content: Buffer.alloc(200, 'a'),
};

const cleanUps: (() => unknown)[] = [];
try {
  const programs = requirePostgres();
  const server = await PostgresServer.start({ programs }, (undo) => cleanUps.push(undo));
  const contenders = [await open(server, false), await open(server, true)];
  for (let accepted = 0; accepted < DELIVERIES; accepted += BATCH) {
    // In turn, so that whatever slows the machine down slows both down.
    for (const { inbox, latencies } of contenders) {
      await Promise.all(Array.from({ length: BATCH }, () => inbox.accept(delivery)));
      await passOn(inbox, 'failed');
      const measured = await passOn(inbox, 'handled');
      // The last half counts.
      if (accepted >= DELIVERIES / 2) latencies.push(...measured);
    }
  }
  const [without, held] = contenders.map(({ latencies }) => percentiles(latencies));
  console.log(
    `\nClaims from the backlog after ${DELIVERIES.toLocaleString('en')} deliveries went through it:`,
  );
  console.log(`  no snapshot held:    p50 ${without!.p50} ms, p99 ${without!.p99} ms`);
  console.log(
    `  a snapshot is held:  p50 ${held!.p50} ms, p99 ${held!.p99} ms (${(held!.p99 / without!.p99).toFixed(2)} ×)`,
  );
  for (const { inbox } of contenders) await inbox.close();
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}

async function open(
  server: PostgresServer,
  holdsSnapshot: boolean,
): Promise<{ readonly inbox: BuiltInbox; readonly latencies: number[] }> {
  const url = await server.createDatabase();
  const inbox = await inboxes.openPostgresInbox(urls.postgresServers(url), log);
  await inbox.recover(1_000);
  if (holdsSnapshot) {
    const hold =
      'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM plant_store.backlog; SELECT pg_sleep(3600)';
    // It ends with the server.
    server.psql(hold, new URL(url).pathname.slice(1)).catch(() => undefined);
    while ((await server.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) === '0');
  }
  return { inbox, latencies: [] };
}

function percentiles(latencies: number[]): { p50: number; p99: number } {
  latencies.sort((one, other) => one - other);
  const at = (share: number): number => Number(latencies[Math.floor(latencies.length * share)]!.toFixed(2));
  return { p50: at(0.5), p99: at(0.99) };
}

/** Claims a batch, and settles it. @returns how long each claim took, in milliseconds */
async function passOn(inbox: BuiltInbox, kind: 'failed' | 'handled'): Promise<number[]> {
  const latencies: number[] = [];
  const settling: Promise<void>[] = [];
  for (let claimed = 0; claimed < BATCH;) {
    const began = performance.now();
    const { deliveries } = await inbox.claim(CONCURRENCY);
    const took = performance.now() - began;
    // Most claims are answered from memory, which an earlier one has filled.
    if (took > 0.1) latencies.push(took);
    claimed += deliveries.length;
    const result = kind === 'handled' ? { kind } : { kind, error: 'arbitrary', retryAfter: 0 };
    settling.push(...deliveries.map((each) => inbox.settle(each, result)));
    if (settling.length >= MAX_UNSETTLED || deliveries.length === 0) await Promise.all(settling.splice(0));
  }
  await Promise.all(settling);
  return latencies;
}
