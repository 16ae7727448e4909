import { All, Controller, Inject, Req, Res, type Type } from '@nestjs/common';
import { ApiOperation, ApiWebhook } from '@nestjs/swagger';
import { type Answers, facts } from '@plant-store/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Dispatcher } from '../dispatch/dispatcher.js';
import { answer, hasContent } from '../http/answer.js';
import { Refusal } from '../http/refusal.js';
import { INBOX, type Inbox } from '../inbox/inbox.js';
import { describeAnswers } from '../openapi/describe-answers.js';
import { ContentBudget } from './content-budget.js';
import { deliveryPath } from './delivery-path.js';
import { readContent } from './read-content.js';
import { RECEPTION, type Reception } from './reception.js';

/** Takes deliveries of the New Plant webhook (§4, §6). */
export interface NewPlantReceiver {
  receive(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** The controller of the webhook, at the path that the answers give it. */
export function newPlantController(answers: Answers): Type<NewPlantReceiver> {
  @Controller()
  class NewPlantController implements NewPlantReceiver {
    readonly #inbox: Inbox;
    readonly #dispatcher: Dispatcher;
    readonly #methods: ReadonlySet<string>;
    readonly #allow: string;
    readonly #limit: number;
    readonly #budget: ContentBudget;

    constructor(
      @Inject(INBOX) inbox: Inbox,
      dispatcher: Dispatcher,
      @Inject(RECEPTION) reception: Reception,
    ) {
      this.#inbox = inbox;
      this.#dispatcher = dispatcher;
      this.#methods = new Set(reception.methods);
      this.#allow = reception.methods.join(', ');
      this.#limit = reception.maxContentBytes;
      this.#budget = new ContentBudget(reception.maxContentBytesInFlight);
    }

    /** Keeps the content as it came and answers once it is on disk. The guard has let the request in. */
    @All(deliveryPath(answers))
    @ApiWebhook(facts.DELIVERY_PATH)
    @ApiOperation({ summary: facts.WEBHOOK_NAME, description: facts.WEBHOOK_DESCRIPTION })
    @describeAnswers(answers)
    async receive(@Req() { raw: request }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const method = request.method as string;
      if (!this.#methods.has(method)) throw new Refusal(405, { allow: this.#allow });
      if (!hasContent(request)) throw new Refusal(400);

      const content = await readContent(request, reply.raw, this.#limit, this.#budget);
      try {
        await this.#keep(
          method,
          request.headers['content-type'],
          request.headers['content-encoding'],
          content,
        );
      } finally {
        this.#budget.giveBack(content.length);
      }
      answer(reply, 204);
      this.#dispatcher.wake();
    }

    async #keep(
      method: string,
      mediaType: string | undefined,
      encoding: string | undefined,
      content: Buffer,
    ): Promise<void> {
      if (content.length === 0) throw new Refusal(400);
      try {
        await this.#inbox.accept({
          method,
          mediaType: mediaType ?? null,
          contentEncoding: encoding ?? null,
          eventId: null,
          content,
        });
      } catch (cause) {
        throw new Refusal(503, {}, { cause });
      }
    }
  }
  return NewPlantController;
}
