import { inspect, types } from 'node:util';

/** Longest message, member and list of frames of an error, in UTF-16 code units. */
const MAX_TEXT = 1_000;
const MAX_FRAMES = 4_000;

/** Most members of an error, and most causes of causes, that are logged. */
const MAX_MEMBERS = 20;
const MAX_CAUSES = 4;

/** So many kinds of errors are remembered as logged with their whole stack. */
const MAX_KNOWN = 100;

const UNREADABLE = 'an error that cannot be read';

/**
 * Describes whatever was thrown as one short text, such as `TypeError: no such plant`. It never throws: a handler may
 * throw an object whose members can't be read.
 */
export function errorText(error: unknown): string {
  try {
    if (!isError(error)) return cut(inspect(error, { maxStringLength: MAX_TEXT }));
    return cut(`${cut(error.name)}: ${messageOf(error)}`);
  } catch {
    return UNREADABLE;
  }
}

/** Where an error was thrown; undefined if it has no stack. It never throws. */
export function errorStack(error: unknown): string | undefined {
  try {
    return isError(error) ? [errorText(error), ...framesOf(error)].join('\n') : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes what describes whatever was thrown as fields of a log line: name, message, stack, members such as `code`, and
 * causes, each limited in size. It never throws. Errors of one name from one place have their whole stack the first time.
 * From then on the frames of Node.js and of packages are left out.
 */
export function createErrorSerializer(): (error: unknown) => object {
  const known = new Set<string>();
  const stackOf = (error: Error): string => {
    const frames = framesOf(error);
    const kind = `${cut(error.name)}\n${frames[0]}`;
    const isKnown = known.has(kind);
    if (known.size === MAX_KNOWN) known.clear();
    known.add(kind);
    const shown = isKnown ? frames.filter((frame) => !/node_modules|node:/.test(frame)) : frames;
    return [errorText(error), ...shown].join('\n');
  };
  const describe = (error: unknown, depth = 0): object => {
    try {
      if (!isError(error)) return { type: typeof error, message: errorText(error) };
      const { name, cause, errors } = error as AggregateError;
      const inner = (one: unknown): object => describe(one, depth + 1);
      return {
        ...plainMembers(error),
        type: cut(name),
        message: messageOf(error),
        stack: stackOf(error),
        ...(cause !== undefined && depth < MAX_CAUSES && { cause: inner(cause) }),
        ...(Array.isArray(errors) && depth === 0 && { errors: errors.slice(0, MAX_CAUSES).map(inner) }),
      };
    } catch {
      return { message: UNREADABLE };
    }
  };
  return (error) => describe(error);
}

const isError = (error: unknown): error is Error => types.isNativeError(error) || error instanceof Error;

/** The error of a connection to a name with several addresses says nothing but in its errors. */
function messageOf({ message, errors }: Error & { readonly errors?: unknown }): string {
  if (message || !Array.isArray(errors)) return cut(message);
  return cut(
    errors
      .slice(0, MAX_CAUSES)
      .map((each: unknown) => (isError(each) ? each.message : each))
      .join('; '),
  );
}

const cut = (value: unknown): string => String(value).slice(0, MAX_TEXT);

/** The stack begins with the message, which may be large, so the frames are cut out of it. */
function framesOf(error: Error): string[] {
  const stack = String(error.stack);
  const start = stack.indexOf('\n    at ');
  return start === -1 ? [] : stack.slice(start + 1, start + MAX_FRAMES).split('\n');
}

/** Members that are objects could be of any size. */
function plainMembers(error: Error): object {
  const members = Object.entries(error).slice(0, MAX_MEMBERS) as [string, unknown][];
  return Object.fromEntries(
    members
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value]),
  );
}
