import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Failure } from '@plant-store/contract';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';

import type { Counters } from '../counters.js';
import { throttledLog, type WriteLine } from '../logging/throttled-log.js';
import type { OnResponse } from './connection.js';
import { type PreparedResponse, prepareResponse, respond } from './message.js';

/** Thrown to refuse a request: why, and the header fields that HTTP or RFC 6750 requires beside the status. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly failure: Failure,
    readonly fields?: Readonly<Record<string, string>>,
    options?: ErrorOptions,
  ) {
    super(failure, options);
  }
}

/** The response to each failure. */
export type Refusals = Readonly<Record<Failure, PreparedResponse>>;

const FAILED = prepareResponse(500);

/** What Nest and Fastify throw, by its status. */
const FAILURE_BY_STATUS: Readonly<Record<number, Failure>> = {
  // Fewer bytes came than were announced.
  400: 'content-missing',
  404: 'path-unknown',
};

/** Responds to whatever was thrown: to a refusal as prepared, to anything else without content. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  readonly #logFailure: WriteLine;

  constructor(
    private readonly refusals: Refusals,
    logger: Logger,
  ) {
    this.#logFailure = throttledLog((fields) => logger.error(fields, 'a delivery was not accepted'));
  }

  catch(exception: unknown, host: ArgumentsHost): void {
    const reply = host.getArgByIndex<FastifyReply>(1);
    const { failure, fields, cause } = refusalOf(exception);
    const prepared = failure === undefined ? FAILED : this.refusals[failure];
    if (failure === undefined || failure === 'unavailable')
      this.#logFailure({ err: cause, status: prepared.status });
    respond(reply, prepared, fields);
  }
}

/** Without a failure if the receiver itself is at fault. */
function refusalOf(exception: unknown): Pick<Refusal, 'cause'> & Partial<Refusal> {
  if (exception instanceof Refusal) return exception;
  // The connection ended before the content did.
  if ((exception as Partial<NodeJS.ErrnoException>).code === 'ECONNRESET')
    return { failure: 'content-missing' };
  const failure = exception instanceof HttpException ? FAILURE_BY_STATUS[exception.getStatus()] : undefined;
  return failure === undefined ? { cause: exception } : { failure };
}

/** Shortest time between two lines for the same status and reason, in milliseconds. */
const INTERVAL = 10_000;

/**
 * Counts responses, and logs which requests are refused, why and to whom. Nothing of a request is logged. Strangers can't
 * fill the log: there are few statuses and reasons, and each pair has a line of its own.
 */
export function recordResponses(counters: Counters, logger: Logger): OnResponse {
  const lines = new Map<string, WriteLine>();
  return (status, reason, peer) => {
    counters.responded(status);
    if (reason === undefined) return;
    counters.refused(status, reason, peer);
    const kind = `${status} ${reason}`;
    const line =
      lines.get(kind) ?? throttledLog((fields) => logger.warn(fields, 'a request was refused'), INTERVAL);
    lines.set(kind, line);
    line({ status, reason, peer });
  };
}
