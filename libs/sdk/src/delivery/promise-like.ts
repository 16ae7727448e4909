/** Functions of a caller may return a promise, whatever their types say: JavaScript doesn't check them. */

/** Whether `await` would wait for a value. A getter of the value may throw. */
export function isPromiseLike<Awaited>(value: Awaited | PromiseLike<Awaited>): value is PromiseLike<Awaited> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Keeps a rejection from ending the process. */
export function ignore(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => {});
}
