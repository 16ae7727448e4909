import {
  type BuiltInbox,
  type Counted,
  digestOfDelivery,
  type OpenInbox,
  type ReadSalvage,
  readAll,
  type StoredDelivery,
} from '../built-inbox.js';
import type { Outcome } from '../recording/notes.js';

/** A delivery of an inbox before its damage. */
export interface Original {
  readonly id: number;
  readonly state: StoredDelivery['state'];
  readonly digest: string;
  /** What it has ended as, perhaps before it was replayed: a file that is cut may say so. */
  readonly ended: readonly Outcome[];
}

/** What became of the deliveries of a damaged inbox. Each is counted once. */
export interface Account {
  /** Whether the inbox was opened. */
  readonly isOpened: boolean;
  /** The handler got it, or it is listed; or it was saved from an inbox that isn't opened. */
  whole: number;
  /** The same, but with other bytes. */
  changed: number;
  /** It can't be read, and that is said: it is parked or listed as unreadable, or reported by the salvage. */
  reported: number;
  /** The handler had got it before the damage, and it is no longer listed. */
  unlisted: number;
  /** None of that: what is wrong, a line each. */
  readonly silent: string[];
}

const LIMIT = 500;

/** Most claims: a claim that returns the same for ever must not keep the soak. */
const MAX_CLAIMS = 1_000;

/** Opens a damaged inbox, or saves what can be read of it, and looks for each of its deliveries. */
export async function accountFor(
  folder: string,
  originals: readonly Original[],
  openInbox: OpenInbox,
  salvage: ReadSalvage,
): Promise<Account> {
  let inbox: BuiltInbox;
  try {
    inbox = openInbox(folder);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const account = salvaged(folder, originals, salvage);
    if (code !== 'INBOX_DAMAGED') account.silent.push(`the inbox is refused with ${code}: ${message}`);
    return account;
  }
  try {
    return await served(inbox, originals);
  } catch (error) {
    return {
      isOpened: true,
      whole: 0,
      changed: 0,
      reported: 0,
      unlisted: 0,
      silent: [(error as Error).stack ?? String(error)],
    };
  } finally {
    await inbox.close();
  }
}

/** What the handler gets, and what is listed then. */
async function served(inbox: BuiltInbox, originals: readonly Original[]): Promise<Account> {
  const account: Account = { isOpened: true, whole: 0, changed: 0, reported: 0, unlisted: 0, silent: [] };
  const { claimed, unreadable } = await handleAll(inbox);
  const listed = new Map((await readAll(inbox)).map((delivery) => [delivery.id, delivery]));
  for (const { id, state, digest, ended } of originals) {
    const got = claimed.get(id);
    const there = listed.get(id);
    // It was replayed, and a log that is missing had the replay alone.
    const isAsBeforeReplay = there !== undefined && ended.includes(there.state as Outcome);
    if (unreadable.has(id)) account.reported += 1;
    else if (got !== undefined) count(account, got === digest);
    else if (state === 'waiting' && !isAsBeforeReplay)
      account.silent.push(`delivery ${id} waits, and the handler never gets it`);
    else if (there === undefined && state !== 'parked') account.unlisted += 1;
    else if (there === undefined) account.silent.push(`delivery ${id} (${state}) isn't listed`);
    // What can't be read is listed without a method.
    else if (there.method === '') account.reported += 1;
    else count(account, digestOfDelivery(there) === digest);
  }
  return account;
}

const count = (account: Account, isWhole: boolean): number =>
  isWhole ? (account.whole += 1) : (account.changed += 1);

/** Claims everything, and parks what can't be read, as the dispatcher does. */
async function handleAll(
  inbox: BuiltInbox,
): Promise<{ claimed: ReadonlyMap<number, string>; unreadable: ReadonlySet<number> }> {
  const claimed = new Map<number, string>();
  const unreadableIds = new Set<number>();
  for (const delivery of await inbox.recover(0))
    await inbox.settle(delivery, { kind: 'failed', error: 'cut off', retryAfter: 0 });
  await inbox.setPaused(false);
  for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
    const { deliveries, unreadable = [] } = await inbox.claim(LIMIT);
    if (deliveries.length + unreadable.length === 0) break;
    for (const delivery of deliveries) claimed.set(delivery.id, digestOfDelivery(delivery));
    for (const { id } of unreadable) unreadableIds.add(id);
    const park = (delivery: Counted): Promise<void> =>
      inbox.settle(delivery, { kind: 'parked', error: 'unreadable' });
    await Promise.all([
      ...deliveries.map((delivery) => inbox.settle(delivery, { kind: 'handled' })),
      ...unreadable.map(park),
    ]);
  }
  return { claimed, unreadable: unreadableIds };
}

/** What can be saved, and what is reported missing. */
function salvaged(folder: string, originals: readonly Original[], salvage: ReadSalvage): Account {
  const account: Account = { isOpened: false, whole: 0, changed: 0, reported: 0, unlisted: 0, silent: [] };
  const found = salvage(folder);
  if (found === undefined) {
    // There is no file of the database any more: nothing can be saved, and that is said.
    account.reported = originals.length;
    return account;
  }
  const saved = new Map<number, { digest: string; state: string }>();
  for (const delivery of found.deliveries) {
    const content = Buffer.from(delivery.content, 'base64');
    saved.set(delivery.id, { digest: digestOfDelivery({ ...delivery, content }), state: delivery.state });
  }
  const missing = found.missing();
  found.close();
  let handled = missing.handled;
  const isReported = (id: number): boolean =>
    missing.unhandled.some(([first, last]) => id >= first && id <= last);
  for (const { id, state, digest, ended } of originals) {
    const there = saved.get(id);
    const isUnhandled = !ended.includes('handled') && (state === 'waiting' || state === 'parked');
    if (there !== undefined) {
      if (isUnhandled && there.state === 'handled')
        account.silent.push(`delivery ${id} (${state}) is saved as one that was handled`);
      else count(account, there.digest === digest);
    } else if (isReported(id)) account.reported += 1;
    else if (!isUnhandled && handled > 0) {
      handled -= 1;
      account.reported += 1;
    } else account.silent.push(`delivery ${id} (${state}) is neither saved nor reported`);
  }
  return account;
}
