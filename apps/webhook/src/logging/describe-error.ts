import { inspect, types } from 'node:util';

/** Longest message that is stored or logged, in UTF-16 code units. */
const MAX_MESSAGE = 1_000;

/** Longest list of stack frames that is logged, in UTF-16 code units. */
const MAX_FRAMES = 4_000;

/** Most causes of causes, and most members of an error, that are logged. */
const MAX_DEPTH = 4;
const MAX_MEMBERS = 20;

const UNREADABLE = 'an error that cannot be read';

/** An error as the log shows it. */
export type ErrorFields = Readonly<Record<string, unknown>>;

/**
 * Describes whatever was thrown as one short text, such as `TypeError: no such plant`. It never throws: a handler may
 * throw an object whose members can't be read.
 */
export function errorText(error: unknown): string {
  try {
    if (!isError(error)) return inspect(error, { maxStringLength: MAX_MESSAGE }).slice(0, MAX_MESSAGE);
    return `${memberText(error, 'name')}: ${memberText(error, 'message')}`.slice(0, MAX_MESSAGE);
  } catch {
    return UNREADABLE;
  }
}

/**
 * Describes whatever was thrown as fields of a log line: name, message, stack, members and causes, each limited in
 * size. It never throws.
 */
export function errorFields(error: unknown, depth = 0): ErrorFields {
  try {
    if (!isError(error)) return { type: typeof error, message: errorText(error) };
    const cause = member(error, 'cause');
    const errors = member(error, 'errors');
    return {
      ...plainMembers(error),
      type: memberText(error, 'name'),
      message: memberText(error, 'message'),
      stack: stackOf(error),
      ...(cause !== undefined && depth < MAX_DEPTH && { cause: errorFields(cause, depth + 1) }),
      ...(Array.isArray(errors) &&
        depth < MAX_DEPTH && {
          errors: errors.slice(0, MAX_DEPTH).map((one) => errorFields(one, depth + 1)),
        }),
    };
  } catch {
    return { message: UNREADABLE };
  }
}

function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}

/** Members such as `code` and `path`; those that are objects could be of any size. */
function plainMembers(error: Error): ErrorFields {
  const members = Object.keys(error)
    .slice(0, MAX_MEMBERS)
    .map((key) => [key, member(error, key)])
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, MAX_MESSAGE) : value]);
  return Object.fromEntries(members) as ErrorFields;
}

/** The stack begins with the message, which may be large, so the frames are cut out of it. */
function stackOf(error: Error): string {
  const stack = member(error, 'stack');
  const frames = typeof stack === 'string' ? stack.slice(indexOfFrames(stack)) : '';
  return errorText(error) + frames.slice(0, MAX_FRAMES);
}

function indexOfFrames(stack: string): number {
  const index = stack.indexOf('\n    at ');
  return index === -1 ? stack.length : index;
}

/** The text of a member; a message may be a symbol, which can't be put into a template. */
function memberText(error: Error, key: string): string {
  const value = member(error, key);
  return (typeof value === 'string' ? value : String(value)).slice(0, MAX_MESSAGE);
}

/** A member, or undefined if its getter throws. */
function member(error: Error, key: string): unknown {
  try {
    return (error as unknown as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
