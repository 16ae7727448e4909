import { type PromptId, prompts, type QuestionId } from '@plant-store/contract';
import { InvalidOptionsError, type OptionFault } from '../errors/invalid-options-error.js';
import { readProperties, unknownOptions } from './read-properties.js';

/** Thrown by the function that reads one option. `readAll` collects it. */
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

/** The fault of a missing option that has no default because a question is open. It quotes the question. */
export function missing(option: string, id: PromptId): Fault {
  const { question, answer } = prompts[id];
  return new Fault(
    option,
    `is missing. It has no default while the question ${id} is open: "${question}" Expected: ${answer}`,
    id,
  );
}

type Readers = Readonly<Record<string, (option: unknown, name: never) => unknown>>;
type Results<T extends Readers> = { readonly [Name in keyof T]: ReturnType<T[Name]> };

/**
 * Calls every reader with its option and the option's name, and returns their results, frozen.
 *
 * @param found Faults that were found before.
 * @throws InvalidOptionsError with those and the faults of all readers, if there are any.
 */
export function readAll<T extends Readers>(
  readers: T,
  found: readonly OptionFault[],
  options: Readonly<Record<string, unknown>> = {},
): Results<T> {
  const faults = [...found];
  const results: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(readers)) {
    try {
      results[name] = read(options[name], name as never);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(error.toOptionFault());
    }
  }
  if (faults.length > 0) throw new InvalidOptionsError(faults);
  return Object.freeze(results) as Results<T>;
}

/**
 * Reads an options object of which every option has a reader.
 *
 * @param owner Whose options they are, such as `a relay`.
 * @throws InvalidOptionsError with every fault.
 */
export function readOptions<T extends Readers>(readers: T, unread: object, owner: string): Results<T> {
  const names = Object.keys(readers);
  const options = readProperties(unread, names);
  return readAll(readers, unknownOptions(unread, names, owner), options);
}
