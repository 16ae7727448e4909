/**
 * A target responded that it hasn't handled a delivery. Nothing else of its response is kept: it may quote the request,
 * and with it what is secret in the URL or in the delivery.
 */
export class TargetResponse extends Error {
  override readonly name = 'TargetResponse';
  /** How long it asks to wait, in milliseconds; 0 if it doesn't. */
  readonly #retryAfter: number;

  constructor(status: string, retryAfter: number) {
    super(`the target responded with ${status}`);
    this.#retryAfter = retryAfter;
  }

  /** How long to wait, in milliseconds, if this was thrown by a target that asks for it; else 0. It never throws. */
  static retryAfter(thrown: unknown): number {
    return typeof thrown === 'object' && thrown !== null && #retryAfter in thrown ? thrown.#retryAfter : 0;
  }
}
