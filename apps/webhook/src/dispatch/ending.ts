import { types } from 'node:util';

/** Whatever was returned. Any member may be missing. */
type Returned = Readonly<Record<string, unknown>>;

const has =
  (...names: readonly string[]) =>
  (value: Returned): boolean =>
    names.some((name) => typeof value[name] === 'function');

const isObject = (value: unknown): value is Returned =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** What is returned by mistake, and what to do instead. The first one that fits counts. */
const MISTAKES: readonly (readonly [fits: (value: Returned) => boolean, what: string, instead: string])[] = [
  [(value) => types.isNativeError(value) || value instanceof Error, 'an Error', 'throw it'],
  [has('subscribe'), 'an Observable', 'await firstValueFrom(…) of it, and return nothing'],
  [
    ({ ok, status }) => typeof ok === 'boolean' && typeof status === 'number',
    'a Response',
    'check response.ok, and return nothing',
  ],
  [Array.isArray, 'an array', 'await Promise.all(…), and return nothing'],
  [
    has('pipe', 'pipeTo', 'write'),
    'a stream',
    'await pipeline(…) of node:stream/promises, and return nothing',
  ],
  [has('next'), 'a generator', 'make it an async function, which runs by itself'],
  [(value) => typeof value === 'function', 'a function', 'call it, and return nothing'],
];

/**
 * What to wait for until the team's code has ended: undefined if it has. That is a promise, or what has the method `then`
 * as promises do. Whoever returns anything else expects something that doesn't happen.
 *
 * @param caller whose code it is, for the message
 * @throws TypeError says what was returned, and what to do instead. The promise rejects with it, too.
 */
export function endingOf(returned: unknown, caller: string): Promise<void> | undefined {
  if (returned === undefined) return undefined;
  if (!(isObject(returned) && has('then')(returned)))
    throw new TypeError(`${caller} returned ${describe(returned)}`);
  return Promise.resolve(returned).then((value: unknown) => {
    if (value !== undefined) throw new TypeError(`${caller} returned a promise of ${describe(value)}`);
  });
}

function describe(value: unknown): string {
  if (!isObject(value)) return `${value === null ? 'null' : `a ${typeof value}`}; return nothing`;
  const [, what, instead] = MISTAKES.find(([fits]) => fits(value)) ?? [];
  return `${what ?? 'an object'}; ${instead ?? 'return nothing'}`;
}
