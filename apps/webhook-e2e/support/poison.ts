import { fileURLToPath } from 'node:url';

import { openConnection } from './connection.js';
import { expectResponse } from './expect-response.js';
import { statesOf } from './inbox.js';
import { delivery } from './messages.js';
import type { Environment } from './process.js';
import { everythingOpen, type RunningReceiver, startReceiver } from './receiver.js';

const POISON_HANDLER = fileURLToPath(new URL('poison-handler.mjs', import.meta.url));

/** The handler does what the content of a delivery says, see poison-handler.mjs. */
export const poisonSettings: Environment = {
  NODE_OPTIONS: `${everythingOpen['NODE_OPTIONS'] ?? ''} --import=${POISON_HANDLER}`,
  HANDLER_MAX_ATTEMPTS: '3',
  HANDLER_BACKOFF_MS: '50',
};

/** Sends deliveries on one connection and waits until each is acknowledged. */
export async function sendAll({ port }: RunningReceiver, contents: readonly string[]): Promise<void> {
  const connection = await openConnection(port);
  connection.write(contents.map((content) => delivery(content)).join(''));
  for (let each = 0; each < contents.length; each += 1)
    expectResponse(await connection.response(), { status: 204 });
}

/** Waits until each delivery in the inbox is handled or parked. */
export async function untilNothingWaits(inbox: string): Promise<void> {
  while (statesOf(inbox).includes('waiting')) {
    await new Promise((resolve) => setTimeout(resolve, 50).unref());
  }
}

/** Of which delivery, and how often it had failed before. */
type Attempt = readonly [id: number, failures: number];

/** Starts the receiver again each time that it ends, until it stays up until the inbox has no waiting delivery. */
export async function superviseUntilDone(
  folder: string,
  settings = poisonSettings,
): Promise<{ starts: number; attempts: Attempt[][] }> {
  const attempts: Attempt[][] = [];
  for (let starts = 1; starts <= 10; starts += 1) {
    const { process, inbox } = await startReceiver({ folder, settings });
    const done = untilNothingWaits(inbox);
    const ended = await Promise.race([done.then(() => false), process.exit.then(() => true)]);
    attempts.push(process.entries('attempt').map(({ delivery: id, failures }) => [id, failures] as Attempt));
    if (ended) continue;
    expect(await process.stop()).toEqual({ code: 0, signal: null });
    return { starts, attempts };
  }
  throw new Error(`The receiver ended at each of 10 starts: ${JSON.stringify(attempts)}`);
}
