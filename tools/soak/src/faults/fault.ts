import { setTimeout as pause } from 'node:timers/promises';

import type { PostgresServer } from '@plant-store/test-support/postgres';

import type { Load } from '../load.js';
import type { Random } from '../random.js';
import { Failure } from '../receiver.js';
import type { Subject } from '../subject.js';

/** What some faults need. */
export interface Equipment {
  /** The library that lets flushes fail. Undefined without Linux or a C compiler. */
  readonly flushFaults?: string | undefined;
  /** The server of all inboxes. Undefined if they are embedded. */
  readonly postgres?: PostgresServer | undefined;
}

/** What a fault has to do with. */
export interface Round {
  readonly subject: Subject;
  /** The load, which goes on while the fault happens. */
  readonly load: Load;
  readonly random: Random;
  readonly equipment: Equipment;
}

/** Something that goes wrong in a round, while deliveries are sent. */
export interface Fault {
  readonly name: string;
  /**
   * Which receiver it happens to.
   *
   * - `steady`: the one that goes on until the end of the soak, and that is measured. It must not end, and it refuses
   *   nothing
   * - `fragile`: one that may end. It is started again with the same inbox
   * - `new`: one whose inbox doesn't exist yet; the fault starts it
   */
  readonly on: 'steady' | 'fragile' | 'new';
  /** The status with which deliveries may be refused: 503 for a receiver that may end, and none for a steady one. */
  readonly refusesWith?: number;
  /** Whether it can happen. By default it always can. */
  readonly canHappen?: (equipment: Equipment) => boolean;
  /** Lets it happen, and returns when it is over. The receiver may have ended then. */
  happen(round: Round): Promise<void>;
}

/** The longest time for which a load runs before the receiver is ended, in milliseconds. */
export const LOAD_TIME = 1_500;

/** How long a fault of the steady receiver lasts, in milliseconds. */
export const STEADY_TIME = 3_000;

/** How long it may take until deliveries are refused, or accepted again, in milliseconds. */
const PATIENCE = 30_000;

/** How many deliveries must be refused, or accepted, before one is sure. */
const ENOUGH = 20;

/** Waits until deliveries get 503. */
export async function untilRefused({ ledger: { totals } }: Subject): Promise<void> {
  const refused = (): number => totals.refused.get(503) ?? 0;
  const before = refused();
  await until(() => refused() >= before + ENOUGH, 'Deliveries are acknowledged that should get 503.');
}

/** Waits until deliveries are acknowledged. */
export async function untilAccepted({ ledger: { totals } }: Subject): Promise<void> {
  const before = totals.acknowledged;
  await until(() => totals.acknowledged >= before + ENOUGH, 'Deliveries are not acknowledged again.');
}

async function until(isTrue: () => boolean, otherwise: string): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Failure(otherwise);
    await pause(20);
  }
}
