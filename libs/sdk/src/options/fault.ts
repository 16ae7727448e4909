import type { QuestionId } from '@plant-store/contract';
import type { OptionFault } from './option-fault.js';

/** Thrown by the reader of one option; `readAll` collects it. */
export class Fault extends Error implements OptionFault {
  readonly option: string;
  readonly problem: string;
  declare readonly question?: QuestionId;

  constructor(option: string, problem: string, question?: QuestionId) {
    super(`\`${option}\` ${problem}`);
    this.option = option;
    this.problem = problem;
    if (question !== undefined) this.question = question;
  }

  toOptionFault(): OptionFault {
    const { option, problem, question } = this;
    return Object.freeze(question === undefined ? { option, problem } : { option, problem, question });
  }
}
