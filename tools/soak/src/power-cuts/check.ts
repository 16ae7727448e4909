import {
  type BuiltDelivery,
  type BuiltInbox,
  type OpenInbox,
  readAll,
  type StoredDelivery,
} from '../built-inbox.js';
import type { Broken, Promises } from './promises.js';

/** Most deliveries of one claim. */
const LIMIT = 1_000;

/** Opens an inbox after a power cut as a receiver does, and compares it with what was promised. */
export async function check(folder: string, promises: Promises, openInbox: OpenInbox): Promise<Broken> {
  let inbox: BuiltInbox;
  try {
    inbox = openInbox(folder);
  } catch (error) {
    return { lost: [], wrong: [`it is not opened: ${(error as Error).message}`] };
  }
  try {
    for (const delivery of await inbox.recover(0))
      await inbox.settle(delivery, { kind: 'failed', error: 'cut off', retryAfter: 0 });
    const stored = await readAll(inbox);
    const { isPaused } = await inbox.stats();
    const { lost, wrong } = promises.brokenBy(stored, isPaused);
    if (isPaused) await inbox.setPaused(false);
    return {
      lost,
      wrong: [...wrong, ...(await handleAll(inbox, stored)), ...(await acceptOne(inbox, promises))],
    };
  } catch (error) {
    return { lost: [], wrong: [(error as Error).stack ?? String(error)] };
  } finally {
    await inbox.close();
  }
}

/** The handler gets everything that waits, as it is stored, once, and nothing else. */
async function handleAll(inbox: BuiltInbox, stored: readonly StoredDelivery[]): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = new Map(stored.filter(({ state }) => state === 'waiting').map((one) => [one.id, one]));
  const parked = stored.filter(({ state }) => state === 'parked').length;
  const counts = await inbox.stats();
  if (counts.waiting !== waiting.size || counts.parked !== parked)
    wrong.push(
      `${waiting.size} wait and ${parked} are parked; the inbox counts ${counts.waiting} and ${counts.parked}`,
    );
  for (;;) {
    const { deliveries } = await inbox.claim(LIMIT);
    if (deliveries.length === 0) break;
    for (const delivery of deliveries) {
      const expected = waiting.get(delivery.id);
      if (expected === undefined) wrong.push(`the handler gets delivery ${delivery.id}, which doesn't wait`);
      else if (!isSame(delivery, expected))
        wrong.push(`the handler gets delivery ${delivery.id} with other bytes than are stored`);
      waiting.delete(delivery.id);
    }
    await Promise.all(deliveries.map((delivery) => inbox.settle(delivery, { kind: 'handled' })));
  }
  for (const id of waiting.keys()) wrong.push(`the handler never gets delivery ${id}`);
  return wrong;
}

function isSame(one: BuiltDelivery, other: BuiltDelivery): boolean {
  return (
    one.content.equals(other.content) &&
    String(one.fields) === String(other.fields) &&
    (['method', 'mediaType', 'contentEncoding', 'eventId'] as const).every(
      (name) => one[name] === other[name],
    )
  );
}

/** Deliveries are accepted, and get no id that a sender may have seen. */
async function acceptOne(inbox: BuiltInbox, { lastId }: Promises): Promise<string[]> {
  const content = Buffer.from('after the power cut');
  const head = { method: 'POST', mediaType: null, contentEncoding: null, eventId: null, fields: [] };
  const id = await inbox.accept({ ...head, content });
  return id > lastId ? [] : [`the id ${id} is given again`];
}
