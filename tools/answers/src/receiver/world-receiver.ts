import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { World } from '../world/make-world.js';

/** A receiver of a world that listens. */
export interface WorldReceiver {
  readonly url: string;
  /** The file of its inbox. */
  readonly inbox: string;
  stop(): Promise<void>;
}

/** A receiver that did not start, and what it said. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

/**
 * Starts the receiver of a world.
 *
 * @throws NotStarted with all that it wrote to standard error
 */
export async function startWorldReceiver(
  world: World,
  inbox: string,
  settings: Readonly<Record<string, string>>,
): Promise<WorldReceiver> {
  const child = spawn(process.execPath, [world.receiver], {
    env: {
      PORT: '0',
      OPERATIONS_PORT: '0',
      INBOX_URL: `file:${join(world.folder, inbox)}`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close');
  for await (const line of createInterface(child.stdout)) {
    const { msg, url } = JSON.parse(line) as { msg: string; url: string };
    if (msg !== 'listening') continue;
    child.stdout.resume();
    return { url, inbox: join(world.folder, inbox, 'inbox.sqlite'), stop: () => stop(child, ended) };
  }
  await ended;
  throw new NotStarted(stderr);
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}
