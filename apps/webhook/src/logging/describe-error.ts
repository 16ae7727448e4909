import { fileURLToPath } from 'node:url';
import { inspect, types } from 'node:util';

/** Longest text of an error with its causes, longest stack, and longest member, in UTF-16 code units. */
const MAX_TEXT = 1_000;
const MAX_STACK = 8_000;
const MAX_MEMBER = 200;

/** Most members of an error, and most errors that are read: what was thrown, what caused it, and what caused that. */
const MAX_MEMBERS = 20;
const MAX_ERRORS = 6;

/** Names of members that may be credentials. */
const SECRET = /authorization|token|password|secret/i;

/** A frame, or the place in front of the message of an error that Node.js has while it imports. */
const PLACE = /^(?: {4}at .+|(?:file:|\/|[A-Z]:\\).+:\d+)$/gm;

/**
 * Where the receiver calls the handler, as frames have it: by URL or by path, and if sources are mapped, in `src` and with
 * another function's name. The team may call a file of its own so.
 */
const CALL = /[\\/](?:dist|src)[\\/]dispatch[\\/]attempt\.[jt]s:\d/;
const RECEIVER = new URL('../../', import.meta.url);
const OWN_FOLDERS = [RECEIVER.href, fileURLToPath(RECEIVER)];

const CAUSED_BY = ', caused by ';

/** What one error says, as text. Whoever has it needs to read the error no more. */
interface Said {
  /** Undefined if what was thrown is no error. */
  readonly type?: string;
  readonly message: string;
  readonly members?: object | undefined;
  readonly places?: readonly string[] | undefined;
  /** What caused it, and the errors of an AggregateError. */
  readonly inner?: readonly Said[];
}

/**
 * Whatever was thrown, as the log, the inbox and the traces have it. It is read once, here and nowhere else, and limited in
 * size. Reading it never throws: a handler may throw an object whose members can't be read, and a circle of causes ends where
 * it begins. `errWithCause` of pino can't read what is frozen, or throws, and limits nothing.
 */
export class DescribedError {
  /** The name of an error, or the type of what else was thrown. */
  readonly type: string;
  /** With its causes, such as `fetch failed, caused by Error: getaddrinfo ENOTFOUND plants.example`. */
  readonly message: string;
  /** Type and message. */
  readonly text: string;
  /** Where each error was thrown, up to where the handler was called; null if that isn't known of any. */
  readonly stack: string | null;
  readonly #members: object;

  constructor(thrown: unknown) {
    const all = flat(read(thrown, new Set()));
    const [first] = all;
    // A long message must not hide what caused it.
    const length = MAX_TEXT / all.length - CAUSED_BY.length;
    this.type = first!.type ?? typeof thrown;
    this.message = messageOf(first!, length);
    this.text = cut(textOf(first!, length));
    const stacks = all.map((said, index) =>
      [index === 0 ? this.text : `caused by ${textOf(said, length)}`, ...(said.places ?? [])].join('\n'),
    );
    this.stack = all.every(({ places = [] }) => places.length === 0)
      ? null
      : stacks.join('\n').slice(0, MAX_STACK);
    // Those of the nearest error count.
    this.#members = Object.assign({}, ...all.toReversed().map(({ members }) => members)) as object;
  }

  /** Asks no proxy: one may throw when it is asked for its class. */
  static of(thrown: unknown): DescribedError {
    return typeof thrown === 'object' && thrown !== null && #members in thrown
      ? thrown
      : new DescribedError(thrown);
  }

  /** Members of a line of the log. */
  get fields(): object {
    const { type, message, stack } = this;
    return { ...this.#members, type, message, ...(stack !== null && { stack }) };
  }
}

/** Describes whatever was thrown as one short text, see {@link DescribedError.text}. */
export const errorText = (thrown: unknown): string => new DescribedError(thrown).text;

const cut = (value: unknown, length = MAX_TEXT): string => String(value).slice(0, length);

function read(thrown: unknown, known: Set<unknown>): Said {
  known.add(thrown);
  try {
    if (!(types.isNativeError(thrown) || thrown instanceof Error))
      return { message: cut(inspectShortly(thrown)) };
    const readInner = (one: unknown): Said[] =>
      one === undefined || one === null || known.size >= MAX_ERRORS || known.has(one)
        ? []
        : [read(one, known)];
    const causes = readInner(tryRead(() => thrown.cause));
    const errors = (tryRead(() => firstOf((thrown as AggregateError).errors)) ?? []).flatMap(readInner);
    return {
      type: cut(thrown.name, MAX_MEMBER),
      message: cut(thrown.message) || cut([...new Set(errors.map(({ message }) => message))].join('; ')),
      members: tryRead(() => plainMembers(thrown)),
      places: tryRead(() => placesOf(thrown)),
      inner: [...causes, ...errors],
    };
  } catch {
    return { message: 'an error that cannot be read' };
  }
}

/** What may throw, such as a getter. */
function tryRead<Value>(member: () => Value): Value | undefined {
  try {
    return member();
  } catch {
    return undefined;
  }
}

/** What has many members is shown without them: `inspect` would read each. */
function inspectShortly(thrown: unknown): string {
  const isLarge =
    typeof thrown === 'object' &&
    !ArrayBuffer.isView(thrown) &&
    Object.keys(thrown ?? {}).length > MAX_MEMBERS;
  const limits = { maxArrayLength: MAX_MEMBERS, maxStringLength: MAX_TEXT, customInspect: false };
  return inspect(thrown, { depth: isLarge ? -1 : 0, ...limits });
}

/** The first errors of a list. Its own methods aren't asked: they may be of anybody. */
function firstOf(list: unknown): unknown[] {
  if (!Array.isArray(list)) return [];
  return Array.from({ length: Math.min(list.length, MAX_ERRORS) }, (_, index) => list[index] as unknown);
}

/** Members that are objects could be of any size. */
function plainMembers(error: Error): object {
  const shown = Object.keys(error)
    .slice(0, MAX_MEMBERS)
    .map((name) => [name, tryRead(() => error[name as keyof Error])] as const)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => [
      cut(name, MAX_MEMBER),
      SECRET.test(name) ? '[Redacted]' : typeof value === 'string' ? cut(value, MAX_MEMBER) : value,
    ]);
  return Object.fromEntries(shown) as object;
}

/** They are at the end of a stack, which begins with the message. */
function placesOf(error: Error): string[] {
  const places = String(error.stack).slice(-MAX_STACK).match(PLACE) ?? [];
  const call = places.findIndex(
    (place) => CALL.test(place) && OWN_FOLDERS.some((folder) => place.includes(folder)),
  );
  return call === -1 ? places : places.slice(0, call);
}

const flat = (said: Said): Said[] => [said, ...(said.inner ?? []).flatMap(flat)];

const textOf = (said: Said, length: number): string =>
  said.type === undefined ? said.message.slice(0, length) : `${said.type}: ${messageOf(said, length)}`;

const isQuoted = (inner: string, outer: string): boolean =>
  inner !== '' && (outer.endsWith(`: ${inner}`) || outer.split('; ').includes(inner));

/** A cause whose message is quoted isn't said twice. */
function messageOf({ message, inner = [] }: Said, length: number): string {
  const causes = inner.filter((each) => !isQuoted(each.message, message));
  if (causes.length === 0) return message.slice(0, length);
  // A sentence goes on.
  const said = message.slice(0, length).replace(/\.$/, '');
  return said + CAUSED_BY + [...new Set(causes.map((each) => textOf(each, length)))].join('; ');
}
