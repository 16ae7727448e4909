import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  NotFoundException,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';

import { type LogOccasion, limitRate } from '../logging/limit-rate.js';
import { answer } from './answer.js';
import type { Refusals } from './prepare-refusals.js';
import { prepareAnswer } from './prepared-answer.js';
import { Refusal } from './refusal.js';

/** Answers whatever was thrown: a refusal as it was prepared, and what is none of ours without content. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  readonly #refusals: Refusals;
  readonly #logFailure: LogOccasion;

  constructor(refusals: Refusals, logger: Logger) {
    this.#refusals = refusals;
    this.#logFailure = limitRate((fields) => logger.error(fields, 'a delivery was not taken'));
  }

  catch(exception: unknown, host: ArgumentsHost): void {
    const reply = host.getArgByIndex<FastifyReply>(1);
    const refusal = asRefusal(exception);
    const prepared =
      refusal === undefined ? prepareAnswer(statusOf(exception)) : this.#refusals[refusal.failure];
    if (isOurFault(refusal)) {
      this.#logFailure({
        err: refusal === undefined ? exception : refusal.cause,
        status: prepared.status,
      });
    }
    if (reply.sent) return;
    answer(reply, prepared, refusal?.fields);
  }
}

/** Nest says that nothing is routed to a path. */
function asRefusal(exception: unknown): Refusal | undefined {
  if (exception instanceof Refusal) return exception;
  return exception instanceof NotFoundException ? new Refusal('path-unknown') : undefined;
}

function statusOf(exception: unknown): number {
  return exception instanceof HttpException ? exception.getStatus() : 500;
}

function isOurFault(refusal: Refusal | undefined): boolean {
  return refusal === undefined || refusal.failure === 'unavailable';
}
