import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NO_HANDLER } from '@plant-store/test-support/no-handler';
import { type PostgresOptions, PostgresServer, requirePostgres } from '@plant-store/test-support/postgres';

/** A server that takes deliveries. */
export interface Server {
  readonly name: string;
  readonly process: ChildProcess;
  readonly origin: string;
  /** The URL of a receiver's operations listener; empty for other servers. */
  readonly operations: string;
}

export const accessToken = 'arbitrary-access-token';

/** Arbitrary content of about 1 kB, which implies nothing about the fields of a plant. */
export const plant = { arbitrary: 'x'.repeat(1_000) };

const cleanUps: (() => unknown)[] = [];

/** Ends what was started and removes the folders, the last first. */
export async function cleanUp(): Promise<void> {
  for (const undo of cleanUps.reverse()) await undo();
}

/** Makes a folder that is removed in the end. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/**
 * Starts a server of `peers`.
 *
 * @param module such as `fastify`
 * @param given to the server: where it keeps deliveries; without, a server that can do so keeps nothing
 */
export async function startPeer(
  name: string,
  module: string,
  given: readonly string[] = [],
): Promise<Server> {
  const peer = fork(new URL(`./peers/${module}.js`, import.meta.url), [accessToken, ...given], { env: {} });
  cleanUps.push(() => stop(peer));
  const ended = once(peer, 'exit').then(() => Promise.reject(new Error(`${name} has ended.`)));
  const [port] = (await Promise.race([once(peer, 'message'), ended])) as [number];
  ended.catch(() => undefined);
  return { name, process: peer, origin: `http://127.0.0.1:${port}`, operations: '' };
}

/**
 * Starts the built receiver, with the options of Node that this process has: they preload what opens every question.
 *
 * @param environment further variables, such as `INBOX_URL`; by default, the inbox is a new folder
 */
export async function startReceiver(
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const main = fileURLToPath(new URL('../../../apps/webhook/dist/main.js', import.meta.url));
  const receiver = spawn(process.execPath, [...process.execArgv, main], {
    env: {
      ACCESS_TOKENS: accessToken,
      PORT: '0',
      OPERATIONS_PORT: '0',
      HANDLER: NO_HANDLER,
      INBOX_URL: environment['INBOX_URL'] ?? `file:${makeFolder()}`,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUps.push(() => stop(receiver));
  const [line] = (await once(createInterface({ input: receiver.stdout }), 'line')) as [string];
  const { url, operations } = JSON.parse(line) as { url: string; operations: string };
  return { name, process: receiver, origin: new URL(url).origin, operations };
}

/** Starts a PostgreSQL on this machine, which flushes. */
export function startPostgres(options: Omit<PostgresOptions, 'programs'> = {}): Promise<PostgresServer> {
  return PostgresServer.start({ programs: requirePostgres(), ...options }, (undo) => cleanUps.push(undo));
}

export async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill();
  await ended;
}

/** The CPU time of a process and its children so far, NaN on a system without /proc. */
export function cpuMicroseconds({ pid }: { readonly pid?: number | undefined }): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    const own = (Number(fields[11]) + Number(fields[12])) * 10_000;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuMicroseconds({ pid: Number(child) }), own);
  } catch {
    return NaN;
  }
}
