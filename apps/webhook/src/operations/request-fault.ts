import type { FastifyError } from 'fastify';

import { ReceiverError } from '../errors.js';

/** Why a request to the operations listener is refused, and the status of its response. The codes are stable. */
export const REQUEST_FAULTS = {
  INVALID_QUERY: 400,
  INVALID_CONTENT: 400,
  FOREIGN_ORIGIN: 403,
  UNKNOWN_PATH: 404,
  UNKNOWN_DELIVERY: 404,
  UNKNOWN_ACT: 404,
  METHOD_NOT_ALLOWED: 405,
  MORE_THAN_ASKED: 409,
  LENGTH_REQUIRED: 411,
  CONTENT_TOO_LARGE: 413,
  CONTENT_NOT_JSON: 415,
  FOREIGN_HOST: 421,
  RECEIVER_FAILED: 500,
} as const;

/** Code of a {@link RequestFault}. */
export type RequestFaultCode = keyof typeof REQUEST_FAULTS;

/** A request that is refused. The message is one sentence for people. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
  readonly statusCode: number;

  constructor(
    readonly code: RequestFaultCode,
    message: string,
  ) {
    super(message);
    this.statusCode = REQUEST_FAULTS[code];
  }
}

/** What Fastify's errors about a request mean here, by their status. */
const BY_STATUS: Readonly<Record<number, RequestFaultCode>> = {
  400: 'INVALID_CONTENT',
  // Methods that only Node.js knows, such as those of RTSP.
  404: 'UNKNOWN_PATH',
  413: 'CONTENT_TOO_LARGE',
  415: 'CONTENT_NOT_JSON',
};

/** What an error of a route, of its inbox or of Fastify is for the one who asked. Of a defect it says nothing. */
export function faultOf(error: FastifyError): RequestFault | ReceiverError {
  if (error instanceof RequestFault || error instanceof ReceiverError) return error;
  const code = BY_STATUS[error.statusCode ?? 500];
  if (code !== undefined) return new RequestFault(code, error.message);
  return new RequestFault('RECEIVER_FAILED', 'The receiver failed to respond. Its log says why.');
}
