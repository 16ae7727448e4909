import type { Answer } from '../delivery/answer.js';
import { PlantStoreError } from './plant-store-error.js';

/**
 * The receiver answered with a final status outside 2xx (`PLANT_STORE_NOT_ACKNOWLEDGED`). While the
 * questions status-codes and error-payloads are open, no status and no content has a meaning beyond that.
 *
 * Headers and content come from the receiver, which may repeat what it was sent; so they can be read, but
 * are in no printed or serialised form of the error.
 */
export class NotAcknowledgedError extends PlantStoreError {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'NotAcknowledgedError', configurable: true });
  }

  readonly #answer: Answer;

  /** Status of the answer (RFC 9110 §15). A redirection is not followed. */
  readonly status: number;

  constructor(answer: Answer, target: string) {
    super(
      'PLANT_STORE_NOT_ACKNOWLEDGED',
      `${target} answered ${answer.status}, which is no acknowledgement.`,
      {
        outcome: 'answered',
      },
    );
    this.#answer = answer;
    this.status = answer.status;
  }

  /** Header fields of the answer; names in lower case. */
  get headers(): Answer['headers'] {
    return this.#answer.headers;
  }

  /** Content of the answer, up to `maxAnswerBytes`. */
  get content(): Uint8Array {
    return this.#answer.content;
  }

  /** Whether `content` is only the beginning. */
  get truncated(): boolean {
    return this.#answer.truncated;
  }
}
