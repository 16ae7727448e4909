import { InvalidOptionsError } from '../errors/invalid-options-error.js';
import { Fault } from './fault.js';
import type { OptionFault } from './option-fault.js';

type Readers = Readonly<Record<string, () => unknown>>;
type Results<T extends Readers> = { readonly [Name in keyof T]: ReturnType<T[Name]> };

/**
 * Runs every reader and gives their results, frozen.
 *
 * @throws InvalidOptionsError with the faults that are there already and those of all readers.
 */
export function readAll<T extends Readers>(readers: T, found: readonly OptionFault[]): Results<T> {
  const faults = [...found];
  const results = Object.entries(readers).map(([name, read]) => [name, readOne(read, faults)] as const);
  if (faults.length > 0) throw new InvalidOptionsError(faults);
  return Object.freeze(Object.fromEntries(results)) as Results<T>;
}

function readOne(read: () => unknown, faults: OptionFault[]): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    faults.push(error.toOptionFault());
    return undefined;
  }
}
