import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';

import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import { prepareResponse, respond } from './message.js';
import { Refusal, type Refusals } from './refusal.js';

const FAILED = prepareResponse(500);

const PATH_UNKNOWN = new Refusal('path-unknown');

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
    const { failure, fields, cause } = refusalOf(exception);
    const prepared = failure === undefined ? FAILED : this.#refusals[failure];
    if (failure === undefined || failure === 'unavailable')
      this.#logFailure({ err: cause, status: prepared.status });
    respond(reply, prepared, fields);
  }
}

/** Without a failure if the receiver itself is at fault. */
function refusalOf(exception: unknown): Pick<Refusal, 'cause'> & Partial<Refusal> {
  if (exception instanceof Refusal) return exception;
  // Nest throws it for another path.
  const isUnknownPath = exception instanceof HttpException && exception.getStatus() === 404;
  return isUnknownPath ? PATH_UNKNOWN : { cause: exception };
}
