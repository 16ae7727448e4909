/**
 * What several kinds of answers have in common. A message of a schema completes "must be …". One of `refuse` is a
 * sentence about the value, and does not quote it.
 */
import * as v from 'valibot';
import { type Failure, FAILURES } from '../failures.js';
import { COMPONENT_NAME, RESERVED_FIELDS } from '../standards.js';

/** Text that passes a test. @param what such text is */
export function textThat(test: RegExp | ((text: string) => boolean), what: string) {
  const passes = typeof test === 'function' ? test : (text: string) => test.test(text);
  return v.pipe(v.string(), v.check(passes, what));
}

/** Text that begins with a slash. @param what such text is */
export const path = (isPath: (text: string) => boolean, what: string) =>
  v.pipe(
    v.custom<`/${string}`>((value) => typeof value === 'string', what),
    v.check<`/${string}`, string>(isPath, what),
  );

/** Whether people see anything of a text. */
export function isSeen(text: string): boolean {
  return /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text);
}

/** Text that says something. */
export const said = textThat(isSeen, 'text that is not empty');

/** Refuses a value, with the reason. */
export function refuse<Value>(isRefused: (value: Value) => boolean, reason: string): v.RawCheckAction<Value> {
  return v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed && isRefused(dataset.value)) addIssue({ message: reason });
  });
}

/** An object that has these members or some of them. For Valibot by itself, an empty list is one, too. */
export function members<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(v.custom<object>(isObject, 'an object'), v.strictObject(entries));
}

export const failures = Object.keys(FAILURES) as Failure[];

/** A member for each of these failures, which may be left out. */
export function forEach<Name extends Failure, Schema extends v.GenericSchema>(
  names: readonly Name[],
  schema: Schema,
) {
  const entries = names.map((name) => [name, v.exactOptional(schema)]);
  return Object.fromEntries(entries) as Record<Name, v.ExactOptionalSchema<Schema, undefined>>;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Bounds are included. */
export function isWhole(value: number, from: number, to: number): boolean {
  return Number.isSafeInteger(value) && value >= from && value <= to;
}

export function wholeNumber(from: number, to: number, unit = '') {
  const bounds = [from, to].map((bound) => bound.toLocaleString('en')).join(' to ');
  return v.pipe(
    v.number(),
    v.check((value) => isWhole(value, from, to), `a whole number${unit} from ${bounds}`),
  );
}

/** A time that a timer can wait, in milliseconds. */
export const milliseconds = (from: number) => wholeNumber(from, 2_147_483_647, ' of milliseconds');

/**
 * More fields that no answer can use: OpenAPI ignores a parameter called `Accept` (3.1.0 §4.8.12.2), and several
 * `Set-Cookie` fields can't be combined into one value (RFC 9110 §5.3). Node.js drops a field called `__proto__`.
 */
const NOT_FOR_ANSWERS = [...RESERVED_FIELDS, 'accept', 'set-cookie', '__proto__'];

/** The name of a header field (RFC 9110 §5.1) that an answer may use. */
export const headerName = textThat(
  (name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !NOT_FOR_ANSWERS.includes(name.toLowerCase()),
  'a header name that HTTP, OpenAPI and Node.js leave free',
);

/** A value of a header field that needs no encoding (RFC 9110 §5.5). */
export const headerValue = textThat(
  /^[!-~](?:[\t -~]*[!-~])?$/,
  'printable ASCII that neither begins nor ends with a space',
);

/** As in a `Content-Type` field, without parameters (RFC 9110 §8.3.1). */
export const mediaType = textThat(
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  'a media type without parameters, such as application/json',
);

export const componentName = textThat(COMPONENT_NAME, 'letters, digits, dots, hyphens and underscores');
