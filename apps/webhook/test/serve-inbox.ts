import { makeFolder } from '@plant-store/test-support';

import type { AttemptResult, IncomingDelivery } from '../src/inbox/delivery.js';
import type { Inbox } from '../src/inbox/inbox.js';
import { deliveryRoutes } from '../src/operations/deliveries.js';
import { Claims, incoming, openEmbedded } from './open-inbox.js';
import { startListener } from './start-listener.js';

/** A delivery, and what became of it. Those without a result wait; they come last. */
export type Kept = readonly [
  content: string | Buffer,
  result?: AttemptResult,
  given?: Partial<IncomingDelivery>,
];

/** Fills a new folder with deliveries. The inbox stays open until the test ends, or it is closed. */
export async function fillInbox(kept: readonly Kept[]): Promise<{ folder: string; inbox: Inbox }> {
  const folder = makeFolder();
  const inbox = await openEmbedded(folder);
  const claims = Claims.begin(inbox);
  for (const [content, result, given] of kept) {
    await inbox.accept(incoming(content, given));
    if (result !== undefined) await claims.settle(result);
  }
  return { folder, inbox };
}

/** The folder of an inbox with these deliveries that nobody has open. */
export async function stoppedInbox(kept: readonly Kept[]): Promise<string> {
  const { folder, inbox } = await fillInbox(kept);
  await inbox.close();
  return folder;
}

/** The folder of an inbox with these deliveries that a receiver has open, as far as a command notices. */
export async function runningInbox(kept: readonly Kept[]): Promise<{ folder: string; inbox: Inbox }> {
  const { folder, inbox } = await fillInbox(kept);
  await startListener((app) => deliveryRoutes(app, inbox.operations), { folder });
  return { folder, inbox };
}
