import { fileURLToPath } from 'node:url';

import { type Connection, openConnection } from './connection.js';
import { expectResponse } from './expect-response.js';
import { countOpen } from './inbox.js';
import { delivery } from './messages.js';
import { soon } from './port.js';
import type { Environment } from './process.js';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from './receiver.js';

/** The handler does what the content of a delivery says, see poison-handler.mjs. */
export const poisonSettings: Environment = {
  HANDLER: fileURLToPath(new URL('poison-handler.mjs', import.meta.url)),
  HANDLER_MAX_ATTEMPTS: '3',
  HANDLER_BACKOFF_MS: '50',
  // Longer than any test: what waits for ever does so.
  HANDLER_TIMEOUT_MS: '600000',
};

/** The receiver closes a connection on which more requests have no response. */
const MAX_UNANSWERED = 100;

/** Sends deliveries on one connection and waits until each is acknowledged. */
export async function sendAll({ port }: RunningReceiver, contents: readonly string[]): Promise<void> {
  await sendAllOn(await openConnection(port), contents);
}

/** The same on a connection that is open. */
export async function sendAllOn(
  connection: Connection,
  contents: readonly (string | undefined)[],
): Promise<void> {
  for (let first = 0; first < contents.length; first += MAX_UNANSWERED) {
    const group = contents.slice(first, first + MAX_UNANSWERED);
    connection.write(group.map((content) => delivery(content)).join(''));
    for (let each = 0; each < group.length; each += 1)
      expectResponse(await connection.response(), { status: 204 });
  }
}

/** Waits until each delivery in the inbox is handled or parked. */
export async function untilNothingWaits(inbox: string): Promise<void> {
  while (countOpen(inbox) > 0) await soon();
}

/**
 * Starts a receiver again each time that it ends, until each delivery is handled or parked. Resolves to those that ended
 * by themselves.
 */
export async function superviseUntilDone(
  first: RunningReceiver,
  options: ReceiverOptions,
): Promise<readonly RunningReceiver[]> {
  const ended: RunningReceiver[] = [];
  for (let receiver = first; ended.length < 10; receiver = await startReceiver(options)) {
    const { inbox, process } = receiver;
    const done = untilNothingWaits(inbox).then(() => true);
    if (await Promise.race([done, process.exit.then(() => false)])) {
      expect(await process.stop()).toEqual({ code: 0, signal: null });
      return ended;
    }
    ended.push(receiver);
  }
  throw new Error('The receiver ended at each of 10 starts.');
}
