/** Functions of a caller may return a promise, whatever their types say: JavaScript doesn't check them. */

import type { PlantStoreError } from '../errors/plant-store-error.js';

/** Whether `await` would wait for a value. A getter of the value may throw. */
export function isPromiseLike<Awaited>(value: Awaited | PromiseLike<Awaited>): value is PromiseLike<Awaited> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/**
 * Calls a function that may return a promise, and reads its result. What this returns is a promise only if that is one.
 *
 * @param failure Makes the error for what the function threw.
 */
export function callAndRead<Argument, Result>(
  call: (argument: Argument) => unknown,
  argument: Argument,
  read: (result: unknown) => Result,
  failure: (thrown: unknown) => PlantStoreError,
): Result | Promise<Result> {
  let result: unknown;
  try {
    result = call(argument);
    if (isPromiseLike(result)) {
      return Promise.resolve(result).then(read, (thrown: unknown) => {
        throw failure(thrown);
      });
    }
  } catch (thrown) {
    throw failure(thrown);
  }
  return read(result);
}

/** Keeps a rejection from ending the process. */
export function ignore(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => {});
}
