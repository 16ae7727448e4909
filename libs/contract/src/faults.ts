/** What a schema says about a value, for people. */
import * as v from 'valibot';
import type { Schema } from './kinds/kind.js';

/**
 * Everything that is wrong with a value, one text each. If a part of it has another form, the last text is the form of
 * the whole.
 *
 * @param form what the value must be, in words
 */
export function faultsIn(schema: Schema<unknown>, value: unknown, form: string): string[] {
  const { issues = [] } = v.safeParse(schema as v.GenericSchema, value, {
    abortPipeEarly: true,
    message: ({ type, expected }) => FORMS[type] ?? withoutBrackets(expected),
  });
  const hasOtherForm = issues.some(({ kind, path }) => kind === 'schema' && path !== undefined);
  return [
    ...issues.map((issue) => faultOf(issue, form)),
    ...(hasOtherForm ? [`must have the form: ${form}`] : []),
  ];
}

function faultOf({ path, type, expected, input, message }: v.BaseIssue<unknown>, form: string): string {
  if (path === undefined) {
    if (type === 'raw_check') return message;
    // What a union expects is no text for people.
    const isSaid = type !== 'union' && type !== 'variant' && message !== 'an object';
    return `must ${isSaid ? `be ${message}` : `have the form: ${form}`} (got ${describe(input)})`;
  }
  const place = path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const name = place.replace(/^\./, '');
  if (type === 'raw_check') return `${name} ${message}`;
  if (type === 'strict_object' && expected === 'never') return `${name} is unknown`;
  return input === undefined ? `${name} is missing` : `${name} must be ${message} (got ${describe(input)})`;
}

/** What values of these types are. */
const FORMS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  record: 'an object',
  strict_object: 'an object',
  string: 'text',
};

/** As Valibot writes what it expects: `("base64" | "hex")`. */
function withoutBrackets(expected: string | null | undefined): string {
  return (expected ?? '').replace(/^\((.*)\)$/, '$1');
}

/** A value in a few words. */
function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object' || value === null)
    return typeof value === 'function' ? 'a function' : String(value);
  return `an object with ${Object.keys(value).join(', ') || 'no member'}`;
}
