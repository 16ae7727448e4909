/** The receiver broke a promise. */
export class Failure extends Error {
  /** @param log the last lines of the receiver's log */
  constructor(
    message: string,
    readonly log = '',
  ) {
    super(message);
  }
}
