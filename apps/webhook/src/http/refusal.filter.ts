import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';

import { type LogOccasion, limitRate } from '../logging/limit-rate.js';
import { answer } from './answer.js';
import { Refusal } from './refusal.js';

/** Answers whatever was thrown: its status and fields, never a body. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  readonly #logFailure: LogOccasion;

  constructor(logger: Logger) {
    this.#logFailure = limitRate((fields) => logger.error(fields, 'a delivery was not taken'));
  }

  catch(exception: unknown, host: ArgumentsHost): void {
    const reply = host.getArgByIndex<FastifyReply>(1);
    const status = exception instanceof HttpException ? exception.getStatus() : 500;
    if (status >= 500) this.#logFailure({ err: causeOf(exception), status });
    if (reply.sent) return;
    answer(reply, status, exception instanceof Refusal ? exception.fields : {});
  }
}

function causeOf(exception: unknown): unknown {
  return exception instanceof Refusal ? exception.cause : exception;
}
