import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';

import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { Refusal, type Refusals } from './refusal.js';
import { prepareResponse, respond } from './response.js';

/** Responds to whatever was thrown: to a refusal as prepared, to anything else without content. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  readonly #refusals: Refusals;
  readonly #logFailure: WriteLine;

  constructor(refusals: Refusals, logger: Logger) {
    this.#refusals = refusals;
    this.#logFailure = throttledLog((fields) => logger.error(fields, 'a delivery was not accepted'));
  }

  catch(exception: unknown, host: ArgumentsHost): void {
    const reply = host.getArgByIndex<FastifyReply>(1);
    const refusal = exception instanceof Refusal ? exception : undefined;
    const prepared =
      refusal === undefined ? prepareResponse(statusOf(exception)) : this.#refusals[refusal.failure];
    if (isOurFault(refusal)) {
      this.#logFailure({
        err: refusal === undefined ? exception : refusal.cause,
        status: prepared.status,
      });
    }
    if (reply.sent) return;
    respond(reply, prepared, refusal?.fields);
  }
}

function statusOf(exception: unknown): number {
  return exception instanceof HttpException ? exception.getStatus() : 500;
}

function isOurFault(refusal: Refusal | undefined): boolean {
  return refusal === undefined || refusal.failure === 'unavailable';
}
