/** The longest beginning of a response that is kept, in UTF-16 code units. */
const MAX_CONTENT = 1_000;

/** A target responded that it hasn't handled a delivery. */
export class TargetResponse extends Error {
  override readonly name = 'TargetResponse';
  /** For the history of the delivery: the message, and the beginning of what the target said. */
  readonly explanation: string;

  /** @param retryAfter how long it asks to wait, in milliseconds; 0 if it doesn't */
  constructor(
    status: string,
    content: string,
    readonly retryAfter: number,
  ) {
    super(`the target responded with ${status}`);
    this.explanation = `${this.name}: ${this.message}\n${content.slice(0, MAX_CONTENT)}`.trimEnd();
  }
}
