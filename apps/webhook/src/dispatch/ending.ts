const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as Partial<PromiseLike<unknown>>).then === 'function';

/**
 * What to wait for until the team's code has ended: undefined if it has. That is a promise, or what has the method `then`
 * as promises do. Whoever returns anything else expects something that doesn't happen.
 *
 * @param caller whose code it is, for the message
 * @throws TypeError says what was returned, and what to do instead. The promise rejects with it, too.
 */
export function endingOf(returned: unknown, caller: string): Promise<void> | undefined {
  if (returned === undefined) return undefined;
  if (!isThenable(returned)) throw mistake(`${caller} returned a value`, returned);
  return Promise.resolve(returned).then((value) => {
    if (value !== undefined) throw mistake(`${caller} returned a promise of a value`, value);
  });
}

/** Such as an Observable, to which nobody subscribes, or a Response, which may say that it went wrong. */
function mistake(what: string, value: unknown): TypeError {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return new TypeError(`${what} (${kind}); await what it begins, throw what failed, and return nothing`);
}
