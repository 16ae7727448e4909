import { ReceiverError } from '../errors.js';
import type { InboxDatabase } from './open-database.js';

/** Whether the next start will find what is written to the files of an inbox. */
export class KeptFiles {
  #flushError: Error | undefined;
  /** A file that was removed, replaced or cut. What is written from then on is lost at the end. */
  #lostFile: string | undefined;

  constructor(private readonly files: Pick<InboxDatabase, 'file' | 'flush' | 'lost'>) {}

  /** Whether what is written doesn't last. */
  get areLost(): boolean {
    return this.#flushError !== undefined || this.#lostFile !== undefined;
  }

  /** Notes a file that is lost. */
  look(): void {
    this.#lostFile ??= this.files.lost();
  }

  /**
   * Makes what was committed durable. Nobody knows what is on the disk after a flush has failed, and a further one may
   * succeed without it.
   *
   * @throws ReceiverError `INBOX_LOST`
   */
  async flush(): Promise<void> {
    try {
      await this.files.flush();
    } catch (cause) {
      this.#flushError ??= cause as Error;
      throw this.#unflushed(this.#flushError);
    }
  }

  /**
   * Throws if what is written doesn't last. It is final: who has put files back may have put back others. Results are
   * still stored, so that what was accepted is handled.
   *
   * @throws ReceiverError `INBOX_LOST`
   */
  require(): void {
    if (this.#flushError !== undefined) throw this.#unflushed(this.#flushError);
    if (this.#lostFile === undefined) return;
    throw new ReceiverError(
      'INBOX_LOST',
      `${this.#lostFile} was removed or replaced, or has been cut, while the receiver runs. Nothing is accepted until it is restarted. Before that, save what is in the files that it has open, as docs/inbox.md says under "When files were deleted while the receiver runs".`,
    );
  }

  #unflushed(cause: Error): ReceiverError {
    return new ReceiverError(
      'INBOX_LOST',
      `The disk of ${this.files.file} failed to flush: ${cause.message}. Nothing is accepted until the receiver is restarted. Check the disk before that.`,
      { cause },
    );
  }
}
