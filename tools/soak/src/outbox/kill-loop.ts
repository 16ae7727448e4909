import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { bytes } from '@plant-store/sdk';
import { createOutbox } from '@plant-store/sdk/outbox';
import { hasPgBouncer, startPgBouncer } from '@plant-store/test-support/pgbouncer';
import { PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';
import pg from 'pg';

import type { Random } from '../random.js';
import { Receiver } from '../receiver.js';

/** What is killed. */
const VICTIMS = ['the store', 'a relay', 'PostgreSQL'] as const;
type Victim = (typeof VICTIMS)[number];

/** How long everything that waits may take at the end, in milliseconds. */
const DRAIN_TIMEOUT = 60_000;

/** Connections of PgBouncer: fewer than its clients have. */
const CONNECTIONS = 4;

const TOKEN = 'arbitrary-token';
const E2E = new URL('../../../../apps/webhook-e2e/postgres/', import.meta.url);
const IDENTIFIED = `--import=${fileURLToPath(new URL('events-identified.mjs', E2E))}`;
const HANDLER = fileURLToPath(new URL('cluster-handler.mjs', E2E));
const program = (name: string): string =>
  fileURLToPath(new URL(`../../dist/outbox/${name}.js`, import.meta.url));

/** What the kill loop found. */
export interface KillLoopResult {
  readonly kills: Readonly<Record<Victim, number>>;
  /** Plants that the store committed. */
  readonly committed: number;
  /** Plants that the receiver handled, each counted once. */
  readonly handled: number;
  /** Attempts of the receiver's handler. */
  readonly handlings: number;
  /** Committed, and not handled. */
  readonly lost: number;
  /** Handled, and not committed. */
  readonly invented: number;
}

interface Options {
  readonly rounds: number;
  readonly random: Random;
  readonly folder: string;
  readonly cleanUp: (undo: () => unknown) => void;
}

/**
 * A store, two relays, PostgreSQL and the built receiver run, with PgBouncer in transaction mode in front of PostgreSQL if
 * it is installed. In each round, one of the first three is killed and started again. At the end, the plants that were
 * committed are compared with those that the receiver handled. Every committed plant is a row of the same database, so
 * nothing else has to know what was committed.
 */
export async function runKillLoop({ rounds, random, folder, cleanUp }: Options): Promise<KillLoopResult> {
  const server = await PostgresServer.start({ programs: requirePostgres() }, cleanUp);
  const url = await server.createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  cleanUp(() => pool.end());
  const outbox = createOutbox({ database: pool, encode: bytes() } as never);
  await outbox.migrate();
  await pool.query('CREATE TABLE plant (id text PRIMARY KEY)');

  const handledFile = join(folder, 'handled');
  const tokensFile = join(folder, 'tokens');
  writeFileSync(tokensFile, `${TOKEN}\n`);
  const receiver = new Receiver({
    inboxUrl: `file:${join(folder, 'inbox')}`,
    tokensFile,
    handledFile,
    settings: {
      NODE_OPTIONS: IDENTIFIED,
      HANDLER,
      HANDLED_FILE: handledFile,
      WAIT_FILE: join(folder, 'wait'),
    },
  });
  cleanUp(() => receiver.signal('SIGKILL'));
  await receiver.listening();
  // The store and the relays share few connections, which belong to nobody.
  const pooled = new URL(url);
  if (hasPgBouncer()) pooled.port = String(await startPgBouncer(server, cleanUp, CONNECTIONS));
  const store = new Program('store-main', [pooled.href], cleanUp);
  const relayArguments = [pooled.href, `http://127.0.0.1:${receiver.port}`, TOKEN];
  const relays = [
    new Program('relay-main', relayArguments, cleanUp),
    new Program('relay-main', relayArguments, cleanUp),
  ];

  const kills = { 'the store': 0, 'a relay': 0, PostgreSQL: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const victim = VICTIMS[round % VICTIMS.length]!;
    await untilOneMore(pool);
    await pause(random.integer(0, 300));
    if (victim === 'PostgreSQL') {
      await (random.chance(0.5) ? server.crash() : server.kill());
      await server.startAgain();
    } else await (victim === 'the store' ? store : random.pick(relays)).restart();
    kills[victim] += 1;
  }

  await store.stop();
  await drain(pool, rounds);
  await Promise.all(relays.map((relay) => relay.stop()));
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM plant');
  await untilHandled(handledFile, rows.length);
  const committed = rows.map(({ id }) => id);
  return { kills, ...compare(committed, linesOf(handledFile)) };
}

/** A process that is killed and started again. */
class Program {
  #child: ChildProcess;

  constructor(
    private readonly name: string,
    private readonly args: readonly string[],
    cleanUp: Options['cleanUp'],
  ) {
    this.#child = this.#start();
    cleanUp(() => this.#child.kill('SIGKILL'));
  }

  async restart(): Promise<void> {
    await this.#end('SIGKILL');
    this.#child = this.#start();
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  #start(): ChildProcess {
    return spawn(process.execPath, [IDENTIFIED, program(this.name), ...this.args], { stdio: 'inherit' });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

/** Resolves once the store has committed a plant: on a busy machine, it would else be killed each time before that. */
async function untilOneMore(pool: pg.Pool): Promise<void> {
  const count = async (): Promise<number> =>
    (await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM plant')).rows[0]!.count;
  // The connection may be from before the last kill.
  const before = await count().catch(count);
  while ((await count()) <= before) await pause(20);
}

const WAITING = `SELECT count(*)::int AS count FROM plant_store_outbox.entry WHERE state <> 'delivered'`;

async function drain(pool: pg.Pool, rounds: number): Promise<void> {
  const deadline = Date.now() + DRAIN_TIMEOUT + rounds * 1_000;
  while (Date.now() < deadline) {
    // The connection may be from before the last kill.
    const result = await pool.query<{ count: number }>(WAITING).catch(() => undefined);
    if (result?.rows[0]!.count === 0) return;
    await pause(50);
  }
  throw new Error('Not everything was delivered in time.');
}

async function untilHandled(file: string, count: number): Promise<void> {
  const deadline = Date.now() + DRAIN_TIMEOUT;
  while (linesOf(file).length < count && Date.now() < deadline) await pause(50);
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

function compare(committed: readonly string[], handlings: readonly string[]): Omit<KillLoopResult, 'kills'> {
  const digests = new Set(committed.map((id) => createHash('sha256').update(id).digest('hex')));
  const handled = new Set(handlings);
  return {
    committed: committed.length,
    handled: handled.size,
    handlings: handlings.length,
    lost: [...digests].filter((digest) => !handled.has(digest)).length,
    invented: [...handled].filter((digest) => !digests.has(digest)).length,
  };
}
