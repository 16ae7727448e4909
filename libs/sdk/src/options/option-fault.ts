import type { QuestionId } from '@plant-store/contract';

/** One thing that is wrong with the options of a sender. */
export interface OptionFault {
  /** Name of the option. */
  readonly option: string;
  /** What is wrong and what to do, as the rest of a sentence that begins with the option's name. */
  readonly problem: string;
  /** The open question that makes the option required. */
  readonly question?: QuestionId;
}
