import { isDamage, unlessDamaged } from './damage.js';
import type { Delivery, Interrupted } from './inbox.js';
import type { Due, InboxStatements } from './sqlite-statements.js';

/** Deliveries that were read, and those that can't be, because their part of the file is damaged. */
export interface ReadDeliveries {
  readonly deliveries: readonly Delivery[];
  readonly unreadable: readonly Interrupted[];
  /** Ids of the backlog whose rows there can't be read. Nobody knows how often the handler failed on them. */
  readonly lostRows?: readonly number[];
}

/** The deliveries after one, which exist up to `lastId` without a gap. */
export function readAfter(
  statements: InboxStatements,
  after: number,
  lastId: number,
  limit: number,
): ReadDeliveries {
  const count = Math.min(limit, lastId - after);
  return readOr(
    () => statements.readAfter(after, count),
    () =>
      readEach(
        statements,
        Array.from({ length: count }, (_, index) => ({ id: after + 1 + index, failures: 0, suspect: false })),
      ),
  );
}

/** The deliveries of the backlog that are due. */
export function readDue(
  statements: InboxStatements,
  now: number,
  except: Iterable<number>,
  limit: number,
): ReadDeliveries {
  return readOr(
    () => statements.readDue(now, except, limit),
    () => readDueOneByOne(statements, now, except, limit),
  );
}

/** The deliveries of the backlog up to the first part of its index that is damaged. */
function readDueOneByOne(
  statements: InboxStatements,
  now: number,
  except: Iterable<number>,
  limit: number,
): ReadDeliveries {
  const lostRows: number[] = [];
  const due = listDueIds(statements, now, except, limit).flatMap((id) => {
    const row = unlessDamaged(() => statements.findDue(id));
    if (row === undefined) lostRows.push(id);
    return row ?? [];
  });
  return { ...readEach(statements, due), ...(lostRows.length > 0 && { lostRows }) };
}

/** As many as are in front of what can't be read. */
function listDueIds(
  statements: InboxStatements,
  now: number,
  except: Iterable<number>,
  limit: number,
): readonly number[] {
  try {
    return statements.listDueIds(now, except, limit);
  } catch (error) {
    if (!isDamage(error) || limit <= 1) throw error;
    return listDueIds(statements, now, except, Math.floor(limit / 2));
  }
}

/** One statement for all, or else one for each: a damaged page must not hide the others. */
function readOr(readAll: () => Delivery[], readOneByOne: () => ReadDeliveries): ReadDeliveries {
  try {
    return { deliveries: readAll(), unreadable: [] };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return readOneByOne();
  }
}

function readEach(statements: InboxStatements, wanted: readonly Due[]): ReadDeliveries {
  const deliveries: Delivery[] = [];
  const unreadable: Interrupted[] = [];
  for (const one of wanted) {
    const delivery = unlessDamaged(() => statements.readOne(one));
    if (delivery === undefined) unreadable.push({ id: one.id, failures: one.failures });
    else deliveries.push(delivery);
  }
  return { deliveries, unreadable };
}
