import { inspect, types } from 'node:util';

/** Longest text, message and member, and longest list of frames, of an error: in UTF-16 code units. */
const MAX_TEXT = 1_000;
const MAX_MEMBER = 200;
const MAX_FRAMES = 4_000;

/** Most members of an error, and most errors that are read: what was thrown, what caused it, and what caused that. */
const MAX_MEMBERS = 20;
const MAX_ERRORS = 6;

/** So many frames of the team's code has an error whose whole stack was logged before. */
const FRAMES_OF_KNOWN = 2;

/** Names of members that may be credentials, at any depth of causes. */
const SECRET = /authorization|token|password|secret/i;

/** An error is logged with its whole stack again after this time, in milliseconds, and at most so many are within it. */
const SAY_AGAIN = 3_600_000;
const MAX_KNOWN = 100;

/** How something that is no error is shown. With its objects, or longer lists, it could be of any size. */
const SHORT = { depth: 0, maxArrayLength: MAX_MEMBERS, maxStringLength: MAX_TEXT } as const;

const UNREADABLE = 'an error that cannot be read';

/** How Node.js came to go on with an asynchronous function: it differs from time to time, and says nothing of the error. */
const OF_EVENT_LOOP = /node:internal\/(?:async_hooks|process|timers)/;

const OF_NODE_OR_PACKAGE = /node_modules|node:|\(<anonymous>\)$/;

/** What one error says: strings, and numbers and booleans as members. Whoever has it needs to read the error no more. */
export interface Link {
  readonly type: string;
  readonly message: string;
  /** Type and message, or whatever was thrown that is no error. */
  readonly text: string;
  readonly members: object;
  /** What the stack has before the message, such as the file and the line of an import that fails. */
  readonly origin: string;
  readonly frames: readonly string[];
  readonly cause: Link | undefined;
  /** Those of an AggregateError. */
  readonly errors: readonly Link[];
}

/**
 * Whatever was thrown, with its causes and the errors of an AggregateError, as the log, the inbox and the groups of errors
 * have it. It is read once and limited in size. Reading it never throws: a handler may throw an object whose members can't
 * be read, and a circle of causes ends where it begins.
 */
export class DescribedError {
  readonly #root: Link;

  /** @param isOfHandler without the frames of the receiver, which called the handler */
  constructor(thrown: unknown, isOfHandler = false) {
    this.#root = walk(thrown, isOfHandler, new Set());
  }

  /** Asks no proxy: one may throw when it is asked for its class. */
  static is(value: unknown): value is DescribedError {
    return typeof value === 'object' && value !== null && #root in value;
  }

  /** The name of an error, or the type of what else was thrown. */
  get type(): string {
    return this.#root.type;
  }

  /** The message of what was thrown. An AggregateError without one has those of its errors. */
  get message(): string {
    return this.#root.message;
  }

  /** What was thrown and its causes, the nearest first. */
  get chain(): readonly Link[] {
    return flat(this.#root);
  }

  /** One short text, such as `TypeError: fetch failed, caused by Error: getaddrinfo ENOTFOUND plants.example`. */
  get text(): string {
    const all = flat(this.#root);
    const length = all.reduce((sum, { text }) => sum + text.length + CAUSED_BY.length, 0);
    // A long message must not hide what caused it.
    return cut(textOf(this.#root, length <= MAX_TEXT ? MAX_TEXT : MAX_TEXT / all.length - CAUSED_BY.length));
  }

  /** Where each error was thrown; null if that isn't known of any. */
  get stack(): string | null {
    const all = flat(this.#root);
    if (all.every(({ frames }) => frames.length === 0)) return null;
    return all
      .map(({ text, frames }, index) => [index === 0 ? text : `caused by ${text}`, ...frames].join('\n'))
      .join('\n');
  }

  /** What errors from the same places have in common. */
  get kind(): string {
    const codeOf = ({ members }: Link): string => String((members as { code?: string | number }).code ?? '');
    return flat(this.#root)
      .map((link) => [link.type, codeOf(link), link.frames.find(isOfTeam) ?? link.frames[0]].join(' '))
      .join('\n');
  }

  /** Members of a line of the log. */
  fields(isKnown: boolean): object {
    const frames = this.#root.frames.filter(isOfTeam).slice(0, FRAMES_OF_KNOWN);
    const stack = isKnown && this.stack !== null ? [this.text, ...frames].join('\n') : this.stack;
    return { ...fieldsOf(this.#root), ...(stack !== null && { stack }) };
  }
}

const CAUSED_BY = ', caused by ';

/** Describes whatever was thrown as one short text, see {@link DescribedError.text}. It never throws. */
export const errorText = (thrown: unknown): string => new DescribedError(thrown).text;

/**
 * Makes what describes whatever was thrown as fields of a log line. It never throws. Errors from the same places have their
 * whole stack once in an hour, and then what a person needs to find them.
 *
 * @param now in milliseconds
 */
export function createErrorSerializer(now = (): number => performance.now()): (thrown: unknown) => object {
  /** When the whole stack of a kind was logged, the first one first. */
  const known = new Map<string, number>();
  const isKnown = (kind: string): boolean => {
    for (const [each, at] of known) {
      if (now() - at < SAY_AGAIN) break;
      known.delete(each);
    }
    if (known.has(kind) || known.size === MAX_KNOWN) return true;
    known.set(kind, now());
    return false;
  };
  return (thrown) => {
    const described = DescribedError.is(thrown) ? thrown : new DescribedError(thrown);
    return described.fields(described.stack !== null && isKnown(described.kind));
  };
}

const cut = (value: unknown, length = MAX_TEXT): string => String(value).slice(0, length);

const isError = (thrown: unknown): thrown is Error => types.isNativeError(thrown) || thrown instanceof Error;

const isOfTeam = (frame: string): boolean => !OF_NODE_OR_PACKAGE.test(frame);

/**
 * Copies what an error says. All that may throw, or isn't what it seems to be, is read here and nowhere else.
 *
 * @param known what was read before, and isn't read again
 */
function walk(thrown: unknown, isOfHandler: boolean, known: Set<unknown>): Link {
  known.add(thrown);
  const none = { members: {}, origin: '', frames: [], cause: undefined, errors: [] };
  try {
    if (!isError(thrown)) {
      const message = cut(inspect(firstMembersOf(thrown), SHORT));
      return { ...none, type: typeof thrown, message, text: message };
    }
    const type = cut(thrown.name, MAX_MEMBER);
    const own = cut(thrown.message);
    const inner = (one: unknown): Link[] =>
      known.size < MAX_ERRORS && !known.has(one) ? [walk(one, isOfHandler, known)] : [];
    const cause = read(() => thrown.cause ?? undefined);
    const [causeLink] = cause === undefined ? [] : inner(cause);
    const errors = (read(() => firstOf((thrown as AggregateError).errors)) ?? []).flatMap(inner);
    const message = own || cut([...new Set(errors.map((link) => link.message))].join('; '));
    return {
      type,
      message,
      text: `${type}: ${message}`,
      members: read(() => plainMembers(thrown)) ?? {},
      ...(read(() => placesOf(thrown, isOfHandler)) ?? none),
      cause: causeLink,
      errors,
    };
  } catch {
    return { ...none, type: typeof thrown, message: UNREADABLE, text: UNREADABLE };
  }
}

/** What has more members than are shown, without them: `inspect` would read each. */
function firstMembersOf(thrown: unknown): unknown {
  if (typeof thrown !== 'object' || thrown === null || Array.isArray(thrown)) return thrown;
  const names = Object.keys(thrown);
  if (names.length <= MAX_MEMBERS || types.isTypedArray(thrown)) return thrown;
  return Object.fromEntries(names.slice(0, MAX_MEMBERS).map((name) => [name, thrown[name as never]]));
}

/** The first errors of a list. Its own methods aren't asked: they may be of anybody. */
function firstOf(list: unknown): unknown[] {
  if (!Array.isArray(list)) return [];
  return Array.from({ length: Math.min(list.length, MAX_ERRORS) }, (_, index) => list[index] as unknown);
}

/** What may throw, such as a getter. */
function read<Value>(member: () => Value): Value | undefined {
  try {
    return member();
  } catch {
    return undefined;
  }
}

const innerOf = ({ cause, errors }: Link): readonly Link[] =>
  cause === undefined ? errors : [cause, ...errors];

const flat = (link: Link): readonly Link[] => [link, ...innerOf(link).flatMap(flat)];

/** A cause whose message was quoted isn't said twice. */
function textOf(link: Link, length: number): string {
  const { text, message } = link;
  const inner = innerOf(link)
    .filter((each) => each.text !== text && !isQuoted(each.message, message) && !isOneOf(link, each))
    .map((each) => textOf(each, length));
  const causes = [...new Set(inner)].join('; ');
  if (causes === '') return text.slice(0, length);
  // A sentence goes on.
  return `${text.slice(0, length).replace(/\.$/, '')}${CAUSED_BY}${causes}`;
}

const isQuoted = (inner: string, outer: string): boolean =>
  inner !== '' && (outer === inner || outer.endsWith(`: ${inner}`));

/** Whether the message of an AggregateError is that of its errors. */
const isOneOf = ({ errors, message }: Link, each: Link): boolean =>
  errors.includes(each) && innerOf(each).length === 0 && message.split('; ').includes(each.message);

function fieldsOf({ type, message, members, cause, errors }: Link): object {
  return {
    ...members,
    type,
    message,
    ...(cause !== undefined && { cause: fieldsOf(cause) }),
    ...(errors.length > 0 && { errors: errors.map(fieldsOf) }),
  };
}

/** The stack begins with the message, which may be large, so what is around it is cut out. */
function placesOf(error: Error, isOfHandler: boolean): Pick<Link, 'origin' | 'frames'> {
  const stack = String(error.stack);
  const message = cut(error.message, Infinity);
  const origin = cut(stack.slice(0, Math.max(0, stack.indexOf(message))));
  const start = stack.indexOf('\n    at ', stack.indexOf(message) + message.length);
  const all = start === -1 ? [] : stack.slice(start + 1, start + MAX_FRAMES).split('\n');
  const frames = all.filter((frame) => !OF_EVENT_LOOP.test(frame));
  const call = isOfHandler ? frames.findIndex(isOfReceiver) : -1;
  if (call === -1) return { origin, frames };
  // What the handler gave to the receiver, such as the work of a transaction, was called by the handler.
  const callers = frames.slice(call).filter((frame) => isOfTeam(frame) && !isOfReceiver(frame));
  return { origin, frames: [...frames.slice(0, call), ...callers] };
}

let ownFolder: string | undefined;

/** Whether a frame is of the receiver's files that are between a delivery and the handler. */
function isOfReceiver(frame: string): boolean {
  // As stacks have it, which may be where the sources are. Asked late: a handler may turn that on.
  ownFolder ??=
    /^ {4}at [^(\n]*\((.*)logging[\\/]describe-error\.\w+:\d/m.exec(String(new Error().stack))?.[1] ?? '';
  return ownFolder !== '' && ['dispatch', 'inbox'].some((folder) => frame.includes(`${ownFolder}${folder}/`));
}

/** Members that are objects could be of any size. */
function plainMembers(error: Error): object {
  const names = Object.keys(error).slice(0, MAX_MEMBERS);
  return Object.fromEntries(
    names
      .map((name) => [name, read(() => (error as unknown as Record<string, unknown>)[name])] as const)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [
        cut(name, MAX_MEMBER),
        SECRET.test(name) ? '[Redacted]' : typeof value === 'string' ? cut(value, MAX_MEMBER) : value,
      ]),
  );
}
