import type { Answers, answers } from '@plant-store/contract';
import type { Column, OptionTable } from '../answers/option-table.js';

/** A final answer of the receiver (RFC 9110 §15). */
export interface Answer {
  readonly status: number;
  /** Header fields; names in lower case, a field that came several times as a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes of the content, up to `maxAnswerBytes`. Empty where there were none. */
  readonly content: Uint8Array;
  /**
   * Whether `content` is only the beginning: there was more than `maxAnswerBytes`, or a clock ran out or
   * the connection broke after the status and the header fields had arrived.
   */
  readonly truncated: boolean;
}

/**
 * An answer that acknowledges a delivery. While the question receiver-response is open, it is one whose status is
 * 2xx (RFC 9110 §15.3); once it is answered, one with exactly that status. Nothing more is asked of it.
 */
export type Acknowledgement<Given extends Answers = typeof answers> = Answer &
  Column<OptionTable<unknown, Given>, 'acknowledgement'>;
