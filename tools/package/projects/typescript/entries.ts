/** Compiled, and not run: the types of the other entry points, with those of the packages that they are used with. */
import type { DynamicModule } from '@nestjs/common';
import { type Attempt, type Delivery, type Handler, LOGGER, type Logger } from '@plant-store/handler';
import { json, type NewPlantSender } from '@plant-store/sdk';
import { NEW_PLANT_SENDER, NewPlantSenderModule } from '@plant-store/sdk/nest';
import {
  createOutbox,
  createRelay,
  type FailedEntry,
  type OutboxErrorCode,
  type Relay,
} from '@plant-store/sdk/outbox';
import { createFakeSender } from '@plant-store/sdk/testing';
import pg from 'pg';

interface Plant {
  readonly from: string;
}

const options = {
  baseUrl: 'https://receiver.test',
  accessToken: 'token',
  method: 'POST',
  encode: json,
} as const;

export function createModules(): readonly DynamicModule[] {
  return [
    NewPlantSenderModule.forRoot<Plant>(options),
    NewPlantSenderModule.forRootAsync<Plant>({ inject: [NEW_PLANT_SENDER], useFactory: () => options }),
  ];
}

export function createSender(): NewPlantSender<Plant> {
  const sender = createFakeSender<Plant>(options);
  sender.replyNext({ status: 503 }, { code: 'PLANT_STORE_CONNECTION_LOST', outcome: 'unknown' });
  // @ts-expect-error -- a fake sender can't fail so
  sender.replyNext({ code: 'PLANT_STORE_SENDER_CLOSED' });
  return sender;
}

export async function enqueue(client: pg.PoolClient, plant: Plant): Promise<Relay> {
  const outbox = createOutbox<Plant>({ database: new pg.Pool(), encode: json });
  await outbox.enqueue(client, plant);
  // @ts-expect-error -- the plant has another type
  await outbox.enqueue(client, { from: 1 });
  const retry = ({ attempt, outcome }: FailedEntry): number | undefined =>
    outcome === 'not-sent' ? attempt * 1_000 : undefined;
  return createRelay({ outbox, sender: createSender(), retry });
}

export class NewPlantHandler implements Handler {
  static readonly inject = [LOGGER];

  constructor(private readonly logger: Logger) {}

  async handle({ key, content }: Delivery, attempt: Attempt): Promise<void> {
    await attempt.transaction(async (client) => void (await client.query('SELECT $1', [key])));
    this.logger.child({ key }).info({ bytes: content.length }, 'handled');
  }
}

export const codes: readonly OutboxErrorCode[] = ['PLANT_STORE_OUTBOX_MISSING'];
