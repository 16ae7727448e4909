import { HttpException } from '@nestjs/common';

/**
 * A request that is not taken: a status that HTTP or RFC 6750 defines for the case, the fields that go
 * with it, and no content (questions `status-codes`, `error-codes`, `error-payloads`).
 */
export class Refusal extends HttpException {
  constructor(
    status: number,
    readonly fields: Readonly<Record<string, string>> = {},
    options?: { cause?: unknown },
  ) {
    super('', status, options);
  }
}
