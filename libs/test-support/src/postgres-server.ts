import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import pg from 'pg';

import type { CleanUp } from './clean-up.js';
import { freePort } from './free-port.js';

/** The password of the user `postgres` of every test server. It must not appear in a log or message. */
export const POSTGRES_PASSWORD = 'arbitrary-password-of-postgres';

/** How long a server that was killed may take to start again, in milliseconds. */
const START_TIMEOUT = 60_000;

/** Where Debian and Ubuntu put the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';

/** PostgreSQL refuses to run as root, so tests that run as root run it as `nobody`. */
const NOBODY = 65_534;
export const postgresUser = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/**
 * The folder of PostgreSQL's programs: the one that `POSTGRES` names, or Debian's newest.
 *
 * @throws Error that says what to install, if there is no PostgreSQL
 */
export function requirePostgres(environment: NodeJS.ProcessEnv = process.env): string {
  const found = [environment['POSTGRES'], ...installed()].find(
    (folder) => folder && existsSync(join(folder, 'postgres')),
  );
  if (found !== undefined) return found;
  throw new Error(
    `There is no PostgreSQL in ${environment['POSTGRES'] || DEBIAN}. Install it (Debian and Ubuntu: apt-get install postgresql), or name the folder of its programs with: POSTGRES=FOLDER npm run postgres`,
  );
}

/**
 * The same for tests. Without PostgreSQL it prints what to install, and the tests are skipped.
 *
 * @throws Error in CI, if there is no PostgreSQL
 */
export function findPostgres(environment: NodeJS.ProcessEnv): string | undefined {
  try {
    return requirePostgres(environment);
  } catch (error) {
    if (environment['CI'] === 'true') throw error;
    process.stderr.write(`${(error as Error).message}\nThe tests of PostgreSQL were skipped.\n`);
    return undefined;
  }
}

/** The folders of the versions that are installed, the newest first. */
function installed(): string[] {
  if (!existsSync(DEBIAN)) return [];
  const versions = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(DEBIAN, version, 'bin'));
}

/** How a server is started. */
export interface PostgresOptions {
  /** The folder of the programs, from {@link findPostgres}. */
  readonly programs: string;
  /** From {@link makePostgresData}, or a copy of it. By default a new one. */
  readonly data?: string;
  /** By default a free one. */
  readonly port?: number;
  /** Settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Makes a temporary folder that PostgreSQL may write to. */
export function makePostgresFolder(cleanUp: CleanUp): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-postgres-'));
  if (postgresUser.uid !== undefined) chownSync(folder, postgresUser.uid, postgresUser.gid);
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a program as the user who runs the servers. */
export async function runAsPostgres(program: string, args: readonly string[]): Promise<void> {
  const options = { ...postgresUser, cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  await promisify(execFile)(program, args, options);
}

/** Makes the data folder of a server that has not started yet. */
export async function makePostgresData(programs: string, cleanUp: CleanUp): Promise<string> {
  const folder = makePostgresFolder(cleanUp);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, POSTGRES_PASSWORD, { mode: 0o644 });
  const data = join(folder, 'data');
  await runAsPostgres(join(programs, 'initdb'), [
    ...['-D', data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ...['-E', 'UTF8', '--locale=C', '--no-sync'],
  ]);
  return data;
}

/** A real PostgreSQL server of a test, on 127.0.0.1. */
export class PostgresServer {
  #process: ReturnType<typeof spawn> | undefined;
  /** Everything that the server has logged. */
  log = '';
  #nextDatabase = 1;

  private constructor(
    private readonly options: PostgresOptions,
    readonly data: string,
    readonly port: number,
  ) {}

  /** Makes a server and starts it. It is stopped, and its folder removed, when the clean-up comes. */
  static async start(options: PostgresOptions, cleanUp: CleanUp): Promise<PostgresServer> {
    const data = options.data ?? (await makePostgresData(options.programs, cleanUp));
    const server = new PostgresServer(options, data, options.port ?? (await freePort()));
    cleanUp(() => server.crash());
    await server.start();
    return server;
  }

  /** Starts the server again, on the same port, and waits until it accepts connections. */
  async start(): Promise<void> {
    const settings = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.data,
      // The log tells when it is ready.
      logging_collector: 'off',
      log_destination: 'stderr',
      ...this.options.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(this.options.programs, 'postgres'), ['-D', this.data, ...args], {
      ...postgresUser,
      cwd: '/',
      env: { LC_ALL: 'C', ...this.options.environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    const from = this.log.length;
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
        if (this.log.includes('ready to accept', from)) resolve();
      });
      child.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${this.log.slice(from)}`)));
    });
  }

  /** Starts it after it was killed: what it had started ends by itself, and keeps it from starting until then. */
  async startAgain(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT;
    for (;;) {
      try {
        return await this.start();
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await pause(50);
      }
    }
  }

  /** Ends all sessions, and stops in order. */
  stop(): Promise<void> {
    return this.#end('SIGINT');
  }

  /** Stops at once, as after a crash: the next start recovers from the log. */
  crash(): Promise<void> {
    return this.#end('SIGQUIT');
  }

  /** Kills the server, and not what it has started, which ends by itself. Its log may tell less than it did. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** The URL of a database, for a user and a password. */
  url(database: string, { name = 'postgres', password = POSTGRES_PASSWORD } = {}): string {
    return `postgres://${name}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates a database. @returns its URL */
  async createDatabase(): Promise<string> {
    const name = `test_${this.#nextDatabase++}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** Runs statements by a connection of their own. @returns all rows as text, one a line, with `|` between the columns */
  async query(sql: string, database = 'postgres'): Promise<string> {
    const types = { getTypeParser: () => (text: string | Buffer) => String(text) };
    const client = new pg.Client({ connectionString: this.url(database), types });
    // A server that is killed ends connections that have no statement to report it to.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const results = [await client.query<(string | null)[]>({ text: sql, rowMode: 'array' })].flat();
      return results.flatMap(({ rows }) => rows.map((row) => row.join('|'))).join('\n');
    } finally {
      await client.end();
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
