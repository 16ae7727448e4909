import type { QuestionId } from '@plant-store/contract';
import { PlantStoreError } from './plant-store-error.js';

/** One missing or invalid option of a sender or of `send`. */
export interface OptionFault {
  /** Name of the option. */
  readonly option: string;
  /** What is wrong and what to do. It continues a sentence that begins with the option's name. */
  readonly problem: string;
  /** The open question that makes the option required. */
  readonly question?: QuestionId;
}

/** Options of a sender or of `send` are missing or invalid (`PLANT_STORE_INVALID_OPTIONS`). Lists all of them. */
export class InvalidOptionsError extends PlantStoreError {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'InvalidOptionsError', configurable: true });
  }

  declare readonly code: 'PLANT_STORE_INVALID_OPTIONS';
  /** Every fault that was found, one entry each. */
  readonly faults: readonly OptionFault[];

  constructor(faults: readonly OptionFault[], cause?: unknown) {
    const lines = faults.map(({ option, problem }) => `\`${option}\` ${problem}`);
    super('PLANT_STORE_INVALID_OPTIONS', lines.join('\n'), { outcome: 'not-sent', cause });
    this.faults = Object.freeze(faults.map((fault) => Object.freeze(fault)));
  }
}

/** What is known of a fault beside its problem. */
interface FaultDetails {
  readonly question?: QuestionId | undefined;
  readonly cause?: unknown;
}

/** The error of one option. */
export function invalidOption(
  option: string,
  problem: string,
  { question, cause }: FaultDetails = {},
): InvalidOptionsError {
  return new InvalidOptionsError([{ option, problem, ...(question && { question }) }], cause);
}

/** The error of a required option that is missing, or not what is expected. */
export function unexpected(
  option: string,
  value: unknown,
  expected: string,
  details?: FaultDetails,
): InvalidOptionsError {
  return invalidOption(
    option,
    `${value === undefined ? 'is missing. Pass' : 'must be'} ${expected}`,
    details,
  );
}
