import type { IncomingMessage } from 'node:http';

import { All, Controller, Inject, Req, Res, type Type } from '@nestjs/common';
import { ApiOperation, ApiWebhook } from '@nestjs/swagger';
import { type Answers, facts } from '@plant-store/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Inspection } from '../answers/receiver-effect.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { answer } from '../http/answer.js';
import type { PreparedAnswer } from '../http/prepared-answer.js';
import { Refusal } from '../http/refusal.js';
import { INBOX, type Inbox } from '../inbox/inbox.js';
import { describeAnswers } from '../openapi/describe-answers.js';
import { ContentBudget } from './content-budget.js';
import { deliveryPath } from './delivery-path.js';
import { readContent } from './read-content.js';
import { RECEPTION, type Reception } from './reception.js';

/** Takes deliveries of the New Plant webhook (§4, §6). */
interface NewPlantReceiver {
  receive(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** The controller of the webhook, at the path that the answers give it. */
export function newPlantController(answers: Answers): Type<NewPlantReceiver> {
  @Controller()
  class NewPlantController implements NewPlantReceiver {
    readonly #keep: Keep;
    readonly #dispatcher: Dispatcher;
    readonly #limit: number;
    readonly #budget: ContentBudget;
    readonly #acknowledgement: PreparedAnswer;

    constructor(
      @Inject(INBOX) inbox: Inbox,
      dispatcher: Dispatcher,
      @Inject(RECEPTION) reception: Reception,
    ) {
      this.#keep = composeKeep(inbox, reception.inspect);
      this.#dispatcher = dispatcher;
      this.#limit = reception.maxContentBytes;
      this.#budget = new ContentBudget(reception.maxContentBytesInFlight);
      this.#acknowledgement = reception.acknowledgement;
    }

    /** Keeps the content as it came and answers once it is on disk. The guard has let the request in. */
    @All(deliveryPath(answers))
    @ApiWebhook(facts.DELIVERY_PATH)
    @ApiOperation({ summary: facts.WEBHOOK_NAME, description: facts.WEBHOOK_DESCRIPTION })
    @describeAnswers(answers)
    async receive(@Req() { raw: request }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const content = await readContent(request, reply.raw, this.#limit, this.#budget);
      try {
        if (content.length === 0) throw new Refusal('content-missing');
        await this.#keep(request, content);
      } finally {
        this.#budget.giveBack(content.length);
      }
      answer(reply, this.#acknowledgement);
      this.#dispatcher.wake();
    }
  }
  return NewPlantController;
}

type Keep = (request: IncomingMessage, content: Buffer) => Promise<unknown>;

/** Keeps deliveries in the inbox; after they were inspected, if there is anything to find in them. */
function composeKeep(inbox: Inbox, inspect: Reception['inspect']): Keep {
  const keep = ({ method, headers }: IncomingMessage, content: Buffer, eventId: string | null) =>
    inbox
      .accept({
        method: method as string,
        mediaType: headers['content-type'] ?? null,
        contentEncoding: headers['content-encoding'] ?? null,
        eventId,
        content,
      })
      .catch((cause: unknown) => {
        throw new Refusal('unavailable', {}, { cause });
      });
  if (inspect === undefined) return (request, content) => keep(request, content, null);
  return async (request, content) => {
    const inspection: Inspection = { request, content, json: undefined, eventId: null };
    await inspect(inspection);
    return keep(request, content, inspection.eventId);
  };
}
