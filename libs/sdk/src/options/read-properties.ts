import { ignore, isPromiseLike } from '../delivery/promise-like.js';
import { invalidOption, type OptionFault } from '../errors/invalid-options-error.js';

/**
 * Reads each property of an options object once. `send` calls it for each delivery with options, so it is cheap.
 *
 * @throws InvalidOptionsError if it isn't an object, or a getter throws.
 */
export function readProperties<Name extends string>(
  options: unknown,
  names: readonly Name[],
): Partial<Record<Name, unknown>> {
  if (typeof options !== 'object' || options === null) {
    throw invalidOption('options', 'must be an object.');
  }
  if (isPromiseLike(options)) {
    ignore(options);
    throw invalidOption('options', 'must be an object, and not a promise.');
  }
  const values: Partial<Record<Name, unknown>> = {};
  for (const name of names) {
    try {
      values[name] = (options as Partial<Record<Name, unknown>>)[name];
    } catch (cause) {
      throw invalidOption(name, 'threw an error when it was read; see `cause`.', { cause });
    }
  }
  return values;
}

/** A fault for each property that isn't an option. */
export function unknownOptions(options: object, names: readonly string[], owner: string): OptionFault[] {
  return Object.keys(options)
    .filter((option) => !names.includes(option))
    .map((option) => ({ option, problem: `is not an option of ${owner}.` }));
}
