import { statfs } from 'node:fs/promises';

import type { FastifyInstance } from 'fastify';

import type { InboxStats } from '../inbox/inbox-operations.js';
import { atMostEvery, INBOX_TIMEOUT, within } from './look-up.js';
import type { Metrics } from './metrics.js';

/** Below this, a commit may fail at any moment: the write-ahead log and the database each grow by it. */
const MIN_FREE_BYTES = 67_108_864;

/** How far the time of a stored delivery may be in the future, in milliseconds: clocks are corrected by and by. */
const MAX_AHEAD = 60_000;

/** Shortest time between two checks, in milliseconds. */
const CHECK_INTERVAL = 1_000;

/** What a {@link Readiness} looks at. */
export interface ReadinessChecks {
  /** Rejects with the reason if the inbox can't be written. */
  readonly checkInbox: () => Promise<void>;
  readonly oldestWaiting: () => Promise<Pick<InboxStats, 'oldestWaitingAt' | 'now'>>;
  /** The folder whose disk needs space; undefined if the inbox isn't on a disk of this machine. */
  readonly folder: string | undefined;
  /** What the file of the inbox has free for new deliveries, in bytes. */
  readonly freeInFile: () => Promise<number>;
  /** Least space on that disk and in the file, in bytes. */
  readonly minFreeBytes?: number;
  /** In milliseconds. */
  readonly timeout?: number;
}

/** Whether the receiver can accept deliveries, for load balancers and supervisors. */
export class Readiness {
  #phase: 'starting' | 'running' | 'stopping' = 'starting';
  #startsBy = 'opening the inbox';
  readonly #timeout: number;
  readonly #freeBytes: (() => Promise<number>) | undefined;
  readonly #check: () => Promise<readonly string[]>;

  constructor({
    checkInbox,
    oldestWaiting,
    folder,
    freeInFile,
    minFreeBytes = MIN_FREE_BYTES,
    timeout = INBOX_TIMEOUT,
  }: ReadinessChecks) {
    this.#timeout = timeout;
    this.#freeBytes =
      folder === undefined
        ? undefined
        : async () => {
            const [onDisk, inFile] = await Promise.all([freeBytesIn(folder), freeInFile().catch(() => 0)]);
            return onDisk + inFile;
          };
    this.#check = atMostEvery(CHECK_INTERVAL, async () => {
      const reasons = await Promise.all([
        reasonOf(checkInbox),
        reasonOf(() => requireClock(oldestWaiting)),
        reasonOf(() => this.#requireSpace(folder, minFreeBytes)),
      ]);
      return reasons.filter((reason) => typeof reason === 'string');
    });
  }

  /** What the receiver does until it listens. */
  starting(what: string): void {
    this.#startsBy = what;
  }

  /** The receiver listens. */
  started(): void {
    if (this.#phase === 'starting') this.#phase = 'running';
  }

  /** The receiver is about to stop. It isn't ready from then on, even while it still serves. */
  stopping(): void {
    this.#phase = 'stopping';
  }

  /** Why the receiver isn't ready, one sentence each; empty if it is. A paused handler is no reason. */
  async reasons(): Promise<readonly string[]> {
    if (this.#phase === 'starting') return [`The receiver is starting: ${this.#startsBy}.`];
    if (this.#phase === 'stopping') return ['The receiver is stopping.'];
    return within(this.#timeout, this.#check(), [
      `The check of the inbox has not ended within ${this.#timeout} ms.`,
    ]);
  }

  /**
   * Space that is left for deliveries, on the disk of the inbox and in its file, in bytes; undefined if it isn't on a disk of
   * this machine.
   */
  async freeBytes(): Promise<number | undefined> {
    return this.#freeBytes?.();
  }

  async #requireSpace(folder: string | undefined, minimum: number): Promise<void> {
    const free = await this.freeBytes();
    if (free !== undefined && free < minimum)
      throw new Error(
        `The inbox in ${folder} has ${free} bytes left, on its disk and in its file, and ${minimum} are needed.`,
      );
  }
}

/** What supervisors and Prometheus ask. */
export function healthRoutes(app: FastifyInstance, readiness: Readiness, metrics: Metrics): void {
  const options = { config: { audience: 'everybody' } } as const;
  app.get('/livez', options, async () => 'ok');
  app.get('/readyz', options, async (_request, reply) => {
    const reasons = await readiness.reasons();
    return reasons.length === 0 ? 'ok' : reply.code(503).send(reasons.join('\n'));
  });
  app.get('/metrics', options, async (_request, reply) =>
    reply.type(metrics.mediaType).send(await metrics.text()),
  );
}

async function reasonOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return (error as Error).message.replaceAll('\n', ' ');
  }
}

/** An inbox that can't be read is no reason: deliveries can be accepted. */
async function requireClock(oldestWaiting: ReadinessChecks['oldestWaiting']): Promise<void> {
  const found = await oldestWaiting().catch(() => undefined);
  if (found === undefined || (found.oldestWaitingAt ?? 0) <= found.now + MAX_AHEAD) return;
  const [stored, now] = [found.oldestWaitingAt!, found.now].map((time) => new Date(time).toISOString());
  throw new Error(
    `The oldest delivery that waits was stored in the future, at ${stored}, and it is ${now}: the clock is behind, or was ahead. Check it.`,
  );
}

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
