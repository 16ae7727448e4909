import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server that takes deliveries. */
export interface ServerContender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly origin: string;
  /** The URL of a receiver's operations listener; empty for other servers. */
  readonly operations: string;
}

export const accessToken = 'arbitrary-access-token';

/** Arbitrary content of about 1 kB, which implies nothing about the fields of a plant. */
export const body = JSON.stringify({ arbitrary: 'x'.repeat(1_000) });

/**
 * Starts a server that is a module of its own.
 *
 * @param folder for what it keeps
 * @param environment all its variables
 */
export async function startForked(
  name: string,
  module: string,
  folder?: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerContender> {
  const given = [accessToken, ...(folder === undefined ? [] : [folder])];
  const server = fork(new URL(module, import.meta.url), given, { env: environment });
  const [port] = (await once(server, 'message')) as [number];
  return { name, process: server, origin: `http://127.0.0.1:${port}`, operations: '' };
}

/**
 * Starts the built receiver, with the options of Node that this process has: they preload what opens every question.
 *
 * @param folder of its inbox
 * @param environment further variables
 */
export async function startReceiver(
  name: string,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerContender> {
  const main = fileURLToPath(new URL('../../../apps/webhook/dist/main.js', import.meta.url));
  const server = spawn(process.execPath, [...process.execArgv, main], {
    env: {
      ACCESS_TOKENS: accessToken,
      PORT: '0',
      OPERATIONS_PORT: '0',
      INBOX_URL: `file:${folder}`,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  const { url, operations } = JSON.parse(line) as { url: string; operations: string };
  return { name, process: server, origin: new URL(url).origin, operations };
}

export async function stop(server: ChildProcess): Promise<void> {
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
