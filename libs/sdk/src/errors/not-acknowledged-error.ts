import type { Failure } from '@plant-store/contract';
import type { Answer } from '../delivery/answer.js';
import type { Explanation } from '../delivery/explain-answer.js';
import { PlantStoreError } from './plant-store-error.js';

/**
 * The receiver answered with a final status that is no acknowledgement (`PLANT_STORE_NOT_ACKNOWLEDGED`): one outside
 * 2xx while the question receiver-response is open, any but the answered one after that. While the questions
 * status-codes, error-codes and error-payloads are open, no status and no content has a meaning beyond that.
 *
 * Headers and content come from the receiver, which may repeat what it was sent; so they can be read, but
 * are in no printed or serialised form of the error.
 */
export class NotAcknowledgedError extends PlantStoreError {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'NotAcknowledgedError', configurable: true });
  }

  readonly #answer: Answer;
  readonly #payload: unknown;

  /** Status of the answer (RFC 9110 §15). A redirection is not followed. */
  readonly status: number;

  /**
   * Why the delivery was not taken: what an answered code in the payload stands for (questions error-codes and
   * error-payloads), else what an answered status stands for, where it is that of one failure (question status-codes).
   * Absent where neither says.
   */
  declare readonly failure?: Failure;

  constructor(answer: Answer, target: string, explanation: Explanation = {}) {
    super(
      'PLANT_STORE_NOT_ACKNOWLEDGED',
      `${target} answered ${answer.status}, which is no acknowledgement.`,
      {
        outcome: 'answered',
      },
    );
    this.#answer = answer;
    this.#payload = explanation.payload;
    this.status = answer.status;
    if (explanation.failure !== undefined) this.failure = explanation.failure;
  }

  /** Header fields of the answer; names in lower case. */
  get headers(): Answer['headers'] {
    return this.#answer.headers;
  }

  /** Content of the answer, up to `maxAnswerBytes`. */
  get content(): Uint8Array {
    return this.#answer.content;
  }

  /**
   * The content, parsed, once the question error-payloads is answered; `undefined` where it is of another media type
   * than answered, cut short, or no JSON.
   */
  get payload(): unknown {
    return this.#payload;
  }

  /** Whether `content` is only the beginning. */
  get truncated(): boolean {
    return this.#answer.truncated;
  }
}
