import { createServer } from 'node:net';
import { join } from 'node:path';

import { runProgram } from './run-program.js';
import type { Scenario } from './scenario.js';

/** A receiver that listens. */
export interface Receiver {
  readonly origin: string;
  /** The file of its inbox. */
  readonly inbox: string;
  stop(): Promise<void>;
}

/** Starts the built receiver of a scenario; undefined if it doesn't start. */
export async function startReceiver(
  { name, folder }: Pick<Scenario, 'name' | 'folder'>,
  inbox: string,
  settings: Readonly<Record<string, string>>,
): Promise<Receiver | undefined> {
  const port = await freePort();
  const others = new Set(process.listeners('SIGTERM'));
  const { code } = await runProgram(name, 'apps/webhook/dist/main.js', [], {
    PORT: String(port),
    OPERATIONS_PORT: '0',
    INBOX_URL: `file:${join(folder, inbox)}`,
    LOG_LEVEL: 'silent',
    ...settings,
  });
  const own = process.listeners('SIGTERM').filter((listener) => !others.has(listener));
  if (code !== 0) return undefined;
  return {
    origin: `http://127.0.0.1:${port}`,
    inbox: join(folder, inbox, 'inbox.sqlite'),
    stop: () => terminate(own),
  };
}

/** Sends SIGTERM to a receiver in this process, and waits until it would exit. */
async function terminate(listeners: readonly NodeJS.SignalsListener[]): Promise<void> {
  const exit = process.exit.bind(process);
  await new Promise<void>((resolve) => {
    process.exit = resolve as () => never;
    for (const listener of listeners) listener('SIGTERM');
  });
  process.exit = exit;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
