import { type PromptId, prompts } from '@plant-store/contract';
import { invalidOption, InvalidOptionsError, type OptionFault } from '../errors/invalid-options-error.js';
import { readProperties, unknownOptions } from './read-properties.js';

/** Values of options by their names. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** Reads one option, given its name and all options as they were passed. It throws an InvalidOptionsError. */
type Reader = (option: unknown, name: never, options: OptionValues) => unknown;
type Readers = Readonly<Record<string, Reader>>;
type Results<T extends Readers> = { readonly [Name in keyof T]: ReturnType<NonNullable<T[Name]>> };

/**
 * Reads an options object of which every option has a reader.
 *
 * @param owner Whose options they are, such as `a relay`.
 * @param defaults What the readers get of options that are left out.
 * @param found Faults that were found before.
 * @returns The results of the readers, frozen.
 * @throws InvalidOptionsError with those and every fault of the options.
 */
export function readOptions<T extends Readers>(
  readers: T,
  unread: unknown,
  owner: string,
  defaults: OptionValues = {},
  found: readonly OptionFault[] = [],
): Results<T> {
  const names = Object.keys(readers);
  const options = readProperties(unread, names);
  const faults = [...found, ...unknownOptions(unread as object, names, owner)];
  const results: Record<string, unknown> = {};
  let cause: unknown;
  for (const name of names) {
    try {
      const { [name]: option = defaults[name] } = options;
      results[name] = readers[name]!(option, name as never, options);
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      faults.push(...error.faults);
      cause ??= error.cause;
    }
  }
  if (faults.length > 0) throw new InvalidOptionsError(faults, cause);
  return Object.freeze(results) as Results<T>;
}

/** Reads an option that is a function, or left out. */
export function readFunction(option: unknown, name: string): unknown {
  if (option !== undefined && typeof option !== 'function') throw invalidOption(name, 'must be a function.');
  return option;
}

/** The error of a missing option that has no default because a question is open. It quotes the question. */
export function missing(option: string, id: PromptId): InvalidOptionsError {
  const { question, answer } = prompts[id];
  return invalidOption(
    option,
    `is missing. It has no default while the question ${id} is open: "${question}" Expected: ${answer}`,
    { question: id },
  );
}
