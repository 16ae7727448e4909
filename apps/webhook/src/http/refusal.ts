import type { Failure } from '@plant-store/contract';

/** A request that is not taken: why, and the fields that HTTP or RFC 6750 wants beside the status. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly failure: Failure,
    readonly fields: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(failure, options);
  }
}
