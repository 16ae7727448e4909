import { isDamage } from './damage.js';
import type { Delivery, Interrupted } from './inbox.js';
import type { Due, InboxStatements } from './sqlite-statements.js';

/** Deliveries that were read, and those that can't be, because their part of the file is damaged. */
export interface ReadDeliveries {
  readonly deliveries: readonly Delivery[];
  readonly unreadable: readonly Interrupted[];
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
    () => readEach(statements, statements.listDue(now, except, limit)),
  );
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
    const delivery = readOne(statements, one);
    if (delivery === undefined) unreadable.push({ id: one.id, failures: one.failures });
    else deliveries.push(delivery);
  }
  return { deliveries, unreadable };
}

function readOne(statements: InboxStatements, wanted: Due): Delivery | undefined {
  try {
    return statements.readOne(wanted);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}
