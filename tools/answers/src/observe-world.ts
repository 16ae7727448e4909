import type { QuestionId } from '@plant-store/contract';

import { type DocumentObservations, observeDocuments } from './documents/observe-documents.js';
import type { Observations } from './observations.js';
import { observeReceiver } from './receiver/observe-receiver.js';
import { observeSender } from './sender/observe-sender.js';
import type { World } from './world/make-world.js';

/** Everything that can be seen of a world from outside. */
export interface WorldObservations extends DocumentObservations {
  readonly receiver: Observations;
  readonly sender: Observations;
}

/** Looks at a world. */
export async function observeWorld(world: World): Promise<WorldObservations> {
  const receiver = await observeReceiver(world);
  const sender = await observeSender(world);
  return { receiver, sender, ...(await observeDocuments(world)) };
}

/** The name of a world: the same for the same questions. */
export function worldName(answered: readonly QuestionId[]): string {
  return [...answered].sort().join(' ') || 'everything open';
}
