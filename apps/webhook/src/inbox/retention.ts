import { setTimeout as delay } from 'node:timers/promises';

import type { Logger } from 'pino';

import type { Clock } from '../clock.js';
import { throttledLog } from '../logging/throttled-log.js';
import { leaveActs } from './acts.js';
import { bounded } from './conditions.js';
import type { Retention } from './inbox-operations.js';
import { type Sql, sql } from './sql.js';
import type { Store } from './store.js';

/** How far a wall clock may run ahead of the time that has passed, in milliseconds: clocks are corrected by and by. */
const TOLERANCE = 60_000;

/** How long nothing expires after a wall clock was set forward, in milliseconds: somebody may set it right. */
const DOUBT = 3_600_000;

/** Notices a wall clock that is set forward: by it, everything is old at once. */
export class ForwardJumps {
  /** The wall clock without the time that has passed: it changes only if somebody sets the clock. */
  #offset = Infinity;
  #doubtUntil = -Infinity;

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly onJump: (milliseconds: number) => void,
  ) {}

  /**
   * Whether the wall clock was set forward within the last hour.
   *
   * @param wall the time by it, in milliseconds since 1970
   */
  isInDoubt(wall: number): boolean {
    const passed = this.clock.now();
    const jump = wall - passed - this.#offset;
    this.#offset = wall - passed;
    if (jump > TOLERANCE) {
      this.#doubtUntil = passed + DOUBT;
      this.onJump(jump);
    }
    return passed < this.#doubtUntil;
  }
}

/** Most rows that one statement deletes, so that it takes milliseconds. */
const MAX_REMOVED = 256;

/** Deletes from a store what the retention doesn't keep, by the clock of the store. */
export class Removal {
  constructor(
    private readonly store: Pick<Store, 'dialect' | 'read' | 'run' | 'size'>,
    private readonly jumps: ForwardJumps,
  ) {}

  /** See `Operations.removeExpired`. */
  async removeExpired({ maxAge, maxBytes, maxEventAge }: Retention): Promise<number> {
    const { now } = this.store.dialect;
    const [clock] = await this.store.read(sql`SELECT ${now()} AS now`);
    const isInDoubt = this.jumps.isInDoubt(clock!['now'] as number);
    // Run first: of a time that changes while it is read, PostgreSQL finds nothing by an index.
    const expiry = sql`(SELECT ${now()} - ${maxAge})`;
    const expired = isInDoubt
      ? 0
      : await this.#removeDeliveries(
          sql`received_at`,
          sql`received_at < ${expiry} AND ended_at < ${expiry} AND (state = 'handled' OR state = 'discarded')`,
        );
    if (expired > 0) return expired;
    if (maxBytes !== undefined && (await this.store.size()).inUse > maxBytes) {
      const oldest = await this.#removeDeliveries(sql`id`, sql`state = 'handled'`);
      if (oldest > 0) return oldest;
    }
    if (isInDoubt) return 0;
    const acts = await this.#removeActs(sql`at < ${expiry}`);
    if (acts > 0) return acts;
    return this.#removeEvents(sql`received_at < (SELECT ${now()} - ${maxEventAge})`);
  }

  /** Deletes some of the deliveries to which a condition applies, in an order. */
  async #removeDeliveries(order: Sql, condition: Sql): Promise<number> {
    const { schema, lockFree, isAmong, withPart } = this.store.dialect;
    const part = bounded(sql`
      SELECT id, act, state, length(content) AS bytes, ${order} AS position FROM ${schema}delivery
      WHERE ${condition} ORDER BY ${order} LIMIT ${MAX_REMOVED} ${lockFree}`);
    const removed = await this.store.run(
      ...withPart(
        sql`SELECT id, act, state FROM (${part}) AS chosen`,
        leaveActs(schema),
        sql`DELETE FROM ${schema}delivery WHERE id ${isAmong(sql`SELECT id FROM part`)} RETURNING id`,
      ),
    );
    return removed.length;
  }

  /** Deletes some acts to which a condition applies, and of whose deliveries none is left. */
  async #removeActs(condition: Sql): Promise<number> {
    const { schema } = this.store.dialect;
    const removed = await this.store.run(sql`
      DELETE FROM ${schema}act WHERE id IN (
        SELECT id FROM ${schema}act WHERE ${condition} AND ended_at IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM ${schema}delivery WHERE delivery.act = act.id)
        ORDER BY id LIMIT ${MAX_REMOVED})
      RETURNING id`);
    return removed.length;
  }

  /** Deletes some events to which a condition applies, and whose delivery was deleted. */
  async #removeEvents(condition: Sql): Promise<number> {
    const { schema } = this.store.dialect;
    const removed = await this.store.run(sql`
      DELETE FROM ${schema}event WHERE key IN (
        SELECT key FROM ${schema}event WHERE ${condition}
          AND NOT EXISTS (SELECT 1 FROM ${schema}delivery WHERE delivery.id = event.delivery)
        ORDER BY received_at LIMIT ${MAX_REMOVED})
      RETURNING delivery`);
    return removed.length;
  }
}

/** How often it looks for what has expired, in milliseconds. */
const INTERVAL = 5_000;

/**
 * The pause after each transaction is so many times as long as that took: deliveries are accepted meanwhile. Deleting
 * takes a third of the time then, whatever else the machine does.
 */
const PAUSE_RATIO = 2;

/** Shortest and longest pause, in milliseconds. */
const MIN_PAUSE = 5;
const MAX_PAUSE = 1_000;

/** How often what was deleted is removed from the write-ahead log, in milliseconds: it then has to grow again. */
const FORGET_INTERVAL = 60_000;

const pauseAfter = (milliseconds: number): number =>
  Math.min(Math.max(PAUSE_RATIO * milliseconds, MIN_PAUSE), MAX_PAUSE);

/**
 * Deletes what the retention doesn't keep, until it is stopped.
 *
 * @returns stops it, and resolves when it doesn't use the inbox any more
 */
export function startRemovingExpired(
  inbox: {
    removeExpired(retention: Retention): Promise<number>;
    forgetDeleted(): Promise<void>;
  },
  retention: Retention,
  logger: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const logFailure = throttledLog((fields) => logger.error(fields, 'failed to delete expired deliveries'));

  const pause = (milliseconds: number): Promise<void> =>
    delay(milliseconds, undefined, { signal }).catch(() => undefined);
  const removeAll = async (): Promise<void> => {
    let total = 0;
    for (let removed = 1; removed > 0 && !signal.aborted; total += removed) {
      const start = performance.now();
      removed = await inbox.removeExpired(retention);
      if (removed > 0) await pause(pauseAfter(performance.now() - start));
    }
    if (total > 0) logger.debug({ removed: total }, 'deleted expired deliveries');
  };
  const run = async (): Promise<void> => {
    let forgotten = -Infinity;
    while (!signal.aborted) {
      await removeAll().catch((err: unknown) => logFailure({ err }));
      if (performance.now() - forgotten >= FORGET_INTERVAL) {
        await inbox.forgetDeleted();
        forgotten = performance.now();
      }
      await pause(INTERVAL);
    }
  };

  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}
