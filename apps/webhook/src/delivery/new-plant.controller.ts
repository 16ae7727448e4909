import { All, Controller, Inject, Req, Res, type Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import type { AuthenticatedRequest } from '../authentication/bearer-auth.guard.js';
import { Counters } from '../counters.js';
import { storedFields } from '../http/request.js';
import { respond } from '../http/response.js';
import { INBOX, type Inbox } from '../inbox/inbox.js';
import {
  DELIVERY_PIPELINE,
  type DeliveryPipeline,
  PipelineRunner,
  type ReceivedDelivery,
} from './pipeline.js';

/** Receives deliveries of the New Plant webhook (§4, §6). */
export interface NewPlantReceiver {
  receive(request: AuthenticatedRequest, reply: FastifyReply): Promise<void>;
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
    readonly #runner: PipelineRunner;

    constructor(
      @Inject(DELIVERY_PIPELINE) private readonly pipeline: DeliveryPipeline,
      @Inject(INBOX) private readonly inbox: Inbox,
      private readonly counters: Counters,
    ) {
      this.#runner = new PipelineRunner(pipeline);
    }

    /** Stores the content as it was sent and responds once it is on disk. The guard has let the request in. */
    @All(path)
    async receive(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): Promise<void> {
      const start = performance.now();
      await this.#runner.run(request.raw, reply.raw, request.user, this.#store);
      respond(reply, this.pipeline.acknowledgement);
      this.counters.acknowledged(performance.now() - start);
    }

    readonly #store = ({ request, content, eventId }: ReceivedDelivery): Promise<unknown> => {
      const { method, headers, rawHeaders } = request;
      return this.inbox.accept({
        method: method as string,
        mediaType: headers['content-type'] ?? null,
        contentEncoding: headers['content-encoding'] ?? null,
        eventId,
        fields: storedFields(rawHeaders),
        content,
      });
    };
  }
  return NewPlantController;
}
