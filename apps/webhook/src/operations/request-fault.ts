/** Why a request to the operations listener is refused, and the status of its response. The codes are stable. */
export const REQUEST_FAULTS = {
  INVALID_QUERY: 400,
  INVALID_CONTENT: 400,
  FOREIGN_ORIGIN: 403,
  UNKNOWN_PATH: 404,
  UNKNOWN_DELIVERY: 404,
  METHOD_NOT_ALLOWED: 405,
  CONTENT_TOO_LARGE: 413,
  CONTENT_NOT_JSON: 415,
  FOREIGN_HOST: 421,
  RECEIVER_FAILED: 500,
  TOO_MANY_LISTENERS: 503,
} as const;

/** Code of a {@link RequestFault}. */
export type RequestFaultCode = keyof typeof REQUEST_FAULTS;

/** A request that is refused. The message is one sentence for people. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';

  /** @param fields header fields of the response */
  constructor(
    readonly code: RequestFaultCode,
    message: string,
    readonly fields: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}
