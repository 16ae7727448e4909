import type { AnswerValues } from '@plant-store/contract';
import type { EventOptions, PlantOf } from '../answers/answered-types.js';
import type { Contract } from '../new-plant-sender.js';
import type { OptionalArgument } from '../options/send-options.js';
import type { SenderOptionsUnder } from '../sender-under.js';
import {
  type EnqueueOptions,
  openOutbox,
  type Outbox,
  type OutboxOptions,
  type Transaction,
} from './outbox.js';

/** The options of an outbox under any answers. */
export type OutboxOptionsUnder<Plant, Given extends AnswerValues> = Pick<OutboxOptions<Plant>, 'database'> &
  Pick<SenderOptionsUnder<Plant, Given>, Extract<keyof SenderOptionsUnder<Plant, Given>, 'encode'>>;

/** The options of `enqueue` under any answers. */
export type EnqueueOptionsUnder<Given extends AnswerValues> = Pick<EnqueueOptions, 'headers'> &
  EventOptions<Given>;

/** An outbox under any answers. */
export interface OutboxUnder<Plant, Given extends AnswerValues> extends Omit<Outbox<Plant>, 'enqueue'> {
  enqueue(
    transaction: Transaction,
    plant: Plant,
    ...options: OptionalArgument<EnqueueOptionsUnder<Given>>
  ): Promise<void>;
}

/** Creates an outbox under other answers than the published ones, for tests of what they change. */
export function createOutboxUnder<
  const Given extends AnswerValues,
  Plant extends PlantOf<Given> = PlantOf<Given>,
>(options: OutboxOptionsUnder<Plant, Given>, { answers }: Contract<Given>): OutboxUnder<Plant, Given> {
  // The type depends on the answers.
  const outbox: unknown = openOutbox<Plant>(answers, options);
  return outbox as OutboxUnder<Plant, Given>;
}
