import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';
import { findPostgres, postgresUser } from '@plant-store/test-support/postgres';
import { PostgresCluster } from '@plant-store/test-support/postgres-cluster';

import { soon } from '../support/port.js';
import type { Environment } from '../support/process.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';
import { openSender } from '../support/sender.js';
import { ClusterLoad } from './cluster-load.js';

const programs = findPostgres(process.env);
const withPostgres = programs === undefined ? describe.skip : describe;

const HANDLER = fileURLToPath(new URL('cluster-handler.mjs', import.meta.url));

/** 17 MiB: a file of the write-ahead log has 16 MiB, so that only tables can't grow. */
const MAX_FILE_BYTES = 17 * 1_048_576;

/** Deliveries at a time, to each receiver. */
const IN_FLIGHT = 8;

withPostgres('two receivers and a cluster of PostgreSQL', () => {
  test('lose no acknowledged delivery, and go on by themselves, whatever fails', async () => {
    const cluster = await PostgresCluster.start(programs!, afterThisTest);
    const folder = makeFolder();
    const files = { HANDLED_FILE: join(folder, 'handled'), WAIT_FILE: join(folder, 'wait') };
    const settings: Environment = {
      INBOX_URL: cluster.url,
      HANDLER,
      HANDLER_BACKOFF_MS: '50',
      ...files,
    };
    const [one, other] = [await startOn(settings), await startOn(settings)];
    const senders = [openSender(one), openSender(other)];
    const load = new ClusterLoad(senders, IN_FLIGHT);
    const print = (figures: string): void => void process.stdout.write(`${figures}\n`);
    /** Lets something fail, and waits until both receivers acknowledge again. */
    const during = async (fault: string, happen: () => Promise<unknown>): Promise<void> => {
      const before = {
        acknowledged: load.acknowledged.size,
        refused: load.refused.size,
        unknown: load.unknown.size,
      };
      await load.untilAcknowledged();
      const began = performance.now();
      await happen();
      await Promise.all(senders.map((sender) => load.untilAcknowledged(sender)));
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      const count = (kind: keyof typeof before): number => load[kind].size - before[kind];
      print(
        `${fault}: resumed after ${seconds} s; ${count('acknowledged')} acknowledged, ${count('refused')} refused, ${count('unknown')} unknown`,
      );
    };

    await during('nothing', async () => undefined);
    await during('connections cut', () => cluster.query(CUT));
    await during('PostgreSQL restarted', () => cluster.primary.stop().then(() => cluster.primary.start()));
    await during('PostgreSQL crashed', () => cluster.primary.crash().then(() => cluster.primary.start()));
    await during('a standby killed', () =>
      cluster.standbys[0]!.kill().then(() => cluster.standbys[0]!.start()),
    );
    await during('disk full', () => fillDisk(cluster, load));
    await during('a receiver killed', async () => {
      await other.process.kill();
      Object.assign(other, await startOn({ ...settings, PORT: String(other.port) }));
    });
    await cluster.untilReplicated(2);
    await during('primary killed, standby promoted', async () => {
      await cluster.killPrimary();
      await cluster.promote();
    });
    await load.stop();
    await untilHandled(await digests(cluster), files.HANDLED_FILE);

    writeFileSync(files.WAIT_FILE, '');
    const left = new ClusterLoad([senders[1]!], IN_FLIGHT);
    while (left.acknowledged.size < 100) await soon();
    await left.stop();
    await other.process.kill();
    rmSync(files.WAIT_FILE);
    const began = performance.now();
    await untilHandled(left.acknowledged, files.HANDLED_FILE);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    print(
      `a receiver killed that had ${left.acknowledged.size} deliveries: handled by the other one after ${seconds} s`,
    );

    const stored = await digests(cluster);
    const lost = [...load.acknowledged, ...left.acknowledged].filter((name) => !stored.has(name));
    print(
      `in all: ${load.acknowledged.size} acknowledged, ${load.refused.size} refused, ${load.unknown.size} unknown, ${lost.length} lost`,
    );
    expect(lost).toEqual([]);
    expect(await cluster.query('SELECT count(*) - count(DISTINCT content) FROM plant_store.delivery')).toBe(
      '0',
    );
  }, 300_000);
});

/** Ends the connections of all receivers, on the server's side. */
const CUT = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'plant-store%'`;

/** Starts a receiver on a port of its own, at which it comes back. */
async function startOn(settings: Environment): Promise<RunningReceiver> {
  const PORT = settings['PORT'] ?? String(await freePort());
  return startReceiver({ settings: { ...settings, PORT } });
}

/** Lets no file of the primary grow until 20 deliveries were refused. The kernel refuses with EFBIG instead of ENOSPC. */
async function fillDisk({ primary }: PostgresCluster, load: ClusterLoad): Promise<void> {
  const limit = (bytes: number | 'unlimited'): void => {
    const children = readFileSync(`/proc/${primary.pid}/task/${primary.pid}/children`, 'utf8')
      .trim()
      .split(' ');
    for (const pid of [primary.pid, ...children]) {
      try {
        execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`], postgresUser);
      } catch (error) {
        // A child of the server may have ended since it was listed.
        if (existsSync(`/proc/${pid}`)) throw error;
      }
    }
  };
  limit(MAX_FILE_BYTES);
  const refused = load.refused.size;
  while (load.refused.size < refused + 20) await soon();
  limit('unlimited');
}

const read = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];

/** The digests of all contents that the cluster has. */
async function digests(cluster: PostgresCluster): Promise<Set<string>> {
  const rows = await cluster.query(`SELECT encode(sha256(content), 'hex') FROM plant_store.delivery`);
  return new Set(rows.split('\n'));
}

async function untilHandled(names: Iterable<string>, handledFile: string): Promise<void> {
  for (let missing = new Set(names); missing.size > 0; await soon())
    for (const name of read(handledFile)) missing.delete(name);
}
