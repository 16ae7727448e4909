import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { soon } from './port.js';
import type { TestProcess } from './process.js';

/** The socket of the operations in the folder of an inbox. */
export const socketIn = (inbox: string): string => join(inbox, 'operations.sock');

/** What the operations of a receiver respond on the socket in the folder of its inbox. */
export async function ask(
  inbox: string,
  path: string,
  method: 'GET' | 'POST' = 'GET',
  sent: object = {},
): Promise<{ status: number; content: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath: socketIn(inbox), path, method, headers, agent: false }, resolve)
      .on('error', reject)
      .end(method === 'POST' ? JSON.stringify(sent) : undefined);
  });
  return { status: response.statusCode as number, content: await text(response) };
}

/** Waits until `/readyz` responds so. The inbox is checked once a second at most. */
export async function untilReadiness(inbox: string, status: number): Promise<string> {
  for (;;) {
    const found = await ask(inbox, '/readyz');
    if (found.status === status) return found.content;
    await soon();
  }
}

/** Waits until a receiver whose log can't be read listens. Resolves to the URL of its deliveries. */
export async function untilItListens(receiver: TestProcess, inbox: string): Promise<string> {
  const ended = receiver.gone.then(() => {
    throw new Error(`The receiver ended before it listened.\n${receiver.output}`);
  });
  ended.catch(() => undefined);
  for (;;) {
    // There is no socket before the operations listen.
    const stats = await Promise.race([ended, ask(inbox, '/stats').catch(soon)]);
    const { receiver: facts } = JSON.parse(stats?.content ?? '{}') as { receiver?: { url: string | null } };
    if (typeof facts?.url === 'string') return facts.url;
    await soon();
  }
}
