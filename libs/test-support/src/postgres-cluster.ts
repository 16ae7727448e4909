import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { CleanUp } from './clean-up.js';
import { freePort } from './free-port.js';
import {
  makePostgresData,
  makePostgresFolder,
  POSTGRES_PASSWORD,
  PostgresServer,
  runAsPostgres,
} from './postgres-server.js';

/** How many servers a cluster has: a primary and two standbys. */
const SIZE = 3;

/**
 * A PostgreSQL cluster of a test, of real processes: a commit is on the disk of the primary and of one standby before it
 * is acknowledged (`ANY 1`). A standby follows whichever server is the primary. Nothing promotes one but the test.
 */
export class PostgresCluster {
  private constructor(
    private readonly ports: readonly number[],
    public primary: PostgresServer,
    public standbys: readonly PostgresServer[],
  ) {}

  /** Starts a cluster with an empty database `test`. */
  static async start(programs: string, cleanUp: CleanUp): Promise<PostgresCluster> {
    const ports: number[] = [];
    while (ports.length < SIZE) ports.push(await freePort());
    const settings = (index: number): Record<string, string> => ({
      cluster_name: nameOf(index),
      synchronous_standby_names: `ANY 1 (${ports.map((_, each) => nameOf(each)).join(', ')})`,
      primary_conninfo: `host=${ports.map(() => '127.0.0.1').join(',')} port=${ports.join(',')} user=postgres password=${POSTGRES_PASSWORD} target_session_attrs=read-write`,
      recovery_target_timeline: 'latest',
      wal_keep_size: '1GB',
      wal_retrieve_retry_interval: '100ms',
    });
    const folders = [await makePostgresData(programs, cleanUp)];
    while (folders.length < SIZE) {
      const standby = join(makePostgresFolder(cleanUp), 'data');
      await runAsPostgres('cp', ['-a', folders[0]!, standby]);
      writeFileSync(join(standby, 'standby.signal'), '');
      folders.push(standby);
    }
    const servers = folders.map((data, index) =>
      PostgresServer.start({ programs, data, port: ports[index]!, settings: settings(index) }, cleanUp),
    );
    const [primary, ...standbys] = await Promise.all(servers);
    const cluster = new PostgresCluster(ports, primary!, standbys);
    await cluster.untilReplicated(SIZE - 1);
    await cluster.primary.query('CREATE DATABASE test');
    return cluster;
  }

  /** Names all servers, as INBOX_URL does. */
  get url(): string {
    const hosts = this.ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `postgres://postgres:${POSTGRES_PASSWORD}@${hosts}/test`;
  }

  /** Runs SQL on the database `test` of the primary. */
  query(sql: string): Promise<string> {
    return this.primary.query(sql, 'test');
  }

  /** Resolves when so many standbys follow the primary. */
  async untilReplicated(count: number): Promise<void> {
    const streaming = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
    while (Number(await this.primary.query(streaming)) < count) await pause(20);
  }

  /** Kills the primary, as if its machine were gone. */
  killPrimary(): Promise<void> {
    return this.primary.kill();
  }

  /**
   * Promotes the standby that has received most. With `ANY 1` the other one may lack acknowledged commits: whatever
   * promotes automatically has to look, too.
   */
  async promote(): Promise<void> {
    const received = await Promise.all(
      this.standbys.map((standby) => standby.query("SELECT pg_last_wal_receive_lsn() - '0/0'::pg_lsn")),
    );
    const most = received.map(Number).reduce((best, lsn, index, all) => (lsn > all[best]! ? index : best), 0);
    const promoted = this.standbys[most]!;
    if ((await promoted.query('SELECT pg_promote()')) !== 't') throw new Error('No standby was promoted.');
    this.primary = promoted;
    this.standbys = this.standbys.filter((standby) => standby !== promoted);
  }
}

const nameOf = (index: number): string => `node_${index + 1}`;
