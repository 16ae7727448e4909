import { All, Controller, Inject, Req, Res, type Type } from '@nestjs/common';
import { CONNECTION_FIELDS } from '@plant-store/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HeaderField } from '@plant-store/handler';

import { Counters } from '../counters.js';
import { respond } from '../http/message.js';
import { Refusal } from '../http/refusal.js';
import { INBOX, type Inbox } from '../inbox/inbox.js';
import { checkContent, DELIVERY_PIPELINE, type DeliveryPipeline, type ReceivedDelivery } from './pipeline.js';

/** Receives deliveries of the New Plant webhook (§4, §6). */
export interface NewPlantReceiver {
  receive(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/**
 * Creates the controller of the webhook. What the document states about it is in
 * `openapi/new-plant.decorators.ts`.
 *
 * @param path where deliveries come
 */
export function newPlantController(path: string): Type<NewPlantReceiver> {
  @Controller()
  class NewPlantController implements NewPlantReceiver {
    constructor(
      @Inject(DELIVERY_PIPELINE) private readonly pipeline: DeliveryPipeline,
      @Inject(INBOX) private readonly inbox: Inbox,
      private readonly counters: Counters,
    ) {}

    /** Stores the content as it was sent and responds once it is on disk. {@link Admission} has let the request in. */
    @All(path)
    async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const { at, mediaType, memory } = request.admitted!;
      try {
        const content = request.body as Buffer;
        if (content.length === 0) throw new Refusal('content-missing');
        const delivery: ReceivedDelivery = { request: request.raw, content, json: undefined, eventId: null };
        if (this.pipeline.contentSteps.length > 0) await checkContent(this.pipeline, delivery);
        await this.#store(delivery, mediaType);
      } finally {
        memory.free();
      }
      respond(reply, this.pipeline.acknowledgement);
      this.counters.acknowledged(performance.now() - at);
    }

    /** @throws Refusal `unavailable` */
    async #store({ request, content, eventId }: ReceivedDelivery, mediaType: string | null): Promise<void> {
      const { method, headers, rawHeaders } = request;
      try {
        await this.inbox.accept({
          method: method as string,
          mediaType,
          contentEncoding: headers['content-encoding'] ?? null,
          eventId,
          fields: storedFields(rawHeaders),
          content,
        });
      } catch (cause) {
        throw new Refusal('unavailable', undefined, { cause });
      }
    }
  }
  return NewPlantController;
}

/** Fields with credentials (RFC 9110 §11.6.2, §11.7.2; RFC 6265 §4.2). They are not stored. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

const LEFT_OUT: ReadonlySet<string> = new Set([...CREDENTIALS, ...CONNECTION_FIELDS]);

/** Most names have another length, and needn't be compared, which makes it three times as fast. */
const LENGTHS: ReadonlySet<number> = new Set([...LEFT_OUT].map(({ length }) => length));

/** Values of `Connection` that name no further field. Nearly every request has one of them. */
const NAMES_NOTHING: ReadonlySet<string> = new Set(['keep-alive', 'close']);

/**
 * The fields of a head that are stored: all but credentials and those of the connection, those that `Connection` names
 * included. The parser has limited their size.
 *
 * @param rawHeaders names and values in turn, as Node has them
 */
export function storedFields(rawHeaders: readonly string[]): HeaderField[] {
  const fields: HeaderField[] = [];
  let named: ReadonlySet<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    const lowerCase = LENGTHS.has(name.length) ? name.toLowerCase() : name;
    if (lowerCase === 'connection' && !NAMES_NOTHING.has(value.toLowerCase()))
      named = new Set([...(named ?? []), ...fieldNamesOf(value)]);
    if (!LEFT_OUT.has(lowerCase)) fields.push([name, value]);
  }
  const also = named;
  return also === undefined ? fields : fields.filter(([name]) => !also.has(name.toLowerCase()));
}

/** The names in a `Connection` field. */
function fieldNamesOf(value: string): string[] {
  return value.split(',').map((option) => option.trim().toLowerCase());
}
