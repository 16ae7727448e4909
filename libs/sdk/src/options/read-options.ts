import { openQuestions, type QuestionId } from '@plant-store/contract';
import { longestTimer } from '../delivery/clocks.js';
import { invalidOption, InvalidOptionsError, type OptionFault } from '../errors/invalid-options-error.js';
import { isInvalidOptions } from '../errors/sender-error.js';

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
 * @returns The results of the readers, frozen.
 * @throws InvalidOptionsError with every fault.
 */
export function readOptions<T extends Readers>(
  readers: T,
  raw: unknown,
  owner: string,
  defaults: OptionValues = {},
): Results<T> {
  const names = Object.keys(readers);
  const options = readObject(raw);
  const faults = unknownOptions(options, names, owner);
  const results: Record<string, unknown> = {};
  for (const name of names) {
    try {
      results[name] = readers[name]!(
        options[name] === undefined ? defaults[name] : options[name],
        name as never,
        options,
      );
    } catch (error) {
      const { faults: found } = isInvalidOptions(error) ? error : unreadable(name);
      faults.push(...found);
    }
  }
  if (faults.length > 0) throw new InvalidOptionsError(faults);
  return Object.freeze(results) as Results<T>;
}

/**
 * Checks that something is an options object without other options. Their values are checked where they are used.
 *
 * @param owner Whose options they are, such as `send`.
 * @throws InvalidOptionsError
 */
export function checkNames(raw: unknown, names: readonly string[], owner: string): OptionValues {
  const options = readObject(raw);
  const faults = unknownOptions(options, names, owner);
  if (faults.length > 0) throw new InvalidOptionsError(faults);
  return options;
}

function readObject(raw: unknown): OptionValues {
  if (typeof raw === 'object' && raw !== null) return raw as OptionValues;
  throw invalidOption('options', 'must be an object.');
}

/** A fault for each property that isn't an option. */
function unknownOptions(options: OptionValues, names: readonly string[], owner: string): OptionFault[] {
  return Object.keys(options)
    .filter((option) => !names.includes(option))
    .map((option) => ({ option, problem: `is not an option of ${owner}.` }));
}

/** The error of an option of which a getter threw. What it threw may have a secret. */
function unreadable(name: string): InvalidOptionsError {
  return invalidOption(name, 'threw an error when it was read.');
}

/** Reads an option that is a function, or left out. */
export function readFunction(option: unknown, name: string): unknown {
  if (option !== undefined && typeof option !== 'function') throw invalidOption(name, 'must be a function.');
  return option;
}

/** Reads a time-out in milliseconds. */
export function readTimeout(option: unknown, name: string): number {
  return readInteger(option, name, 1, longestTimer, ' of milliseconds');
}

/** Reads a switch. */
export function readSwitch(option: unknown, name: string): boolean {
  if (typeof option !== 'boolean') throw invalidOption(name, 'must be true or false.');
  return option;
}

/** Reads a whole number. The unit, if there is one, begins with a space. */
export function readInteger(
  value: unknown,
  name: string,
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
  unit = '',
): number {
  if (isNumber(value, minimum, maximum) && Number.isSafeInteger(value)) return value;
  const got = typeof value === 'number' ? value : typeof value;
  throw invalidOption(name, `must be a whole number${unit} from ${minimum} to ${maximum} (got ${got}).`);
}

/** Whether a value is a number in a range. */
export function isNumber(value: unknown, minimum: number, maximum: number): value is number {
  return typeof value === 'number' && value >= minimum && value <= maximum;
}

/** The error of a missing option that has no default because a question is open. It quotes the question. */
export function missing(option: string, id: QuestionId): InvalidOptionsError {
  const { question, answer } = openQuestions.find((one) => one.id === id)!;
  return invalidOption(
    option,
    `is missing. It has no default while the question ${id} is open: "${question}" Expected: ${answer}`,
    { question: id },
  );
}
