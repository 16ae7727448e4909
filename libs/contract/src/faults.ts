/** What a schema says about a value, for people. */
import * as v from 'valibot';
import type { Schema } from './kinds/kind.js';

/**
 * Everything that is wrong with a value, one text each. If a part of it has another form, the last text is the form of
 * the whole.
 *
 * @param form what the value must be
 */
export function faultsIn(schema: Schema<unknown>, value: unknown, form = formOf(schema)): string[] {
  const { issues = [] } = v.safeParse(schema as v.GenericSchema, value, {
    abortPipeEarly: true,
    message: ({ type, expected }) => FORMS[type] ?? withoutBrackets(expected),
  });
  const hasOtherForm = issues.some(({ kind, path }) => kind === 'schema' && path !== undefined);
  return [...issues.map((issue) => faultOf(issue, form)), ...(hasOtherForm ? [`must be ${form}`] : [])];
}

function faultOf({ path, type, expected, input, message }: v.BaseIssue<unknown>, form: string): string {
  if (path === undefined) return type === 'raw_check' ? message : `must be ${form} (got ${describe(input)})`;
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

/** The parts of a schema that say what it accepts. Each type of schema has some of them. */
interface Form {
  readonly kind: string;
  readonly type: string;
  readonly expects: string | null;
  readonly message?: unknown;
  readonly entries?: Readonly<Record<string, Form>>;
  readonly options?: readonly Form[];
  readonly item?: Form;
  readonly key?: Form;
  readonly value?: Form;
  readonly wrapped?: Form;
  readonly pipe?: readonly Form[];
}

/** What a schema accepts, such as `{ header: text, value?: text }`. */
export function formOf(schema: Schema<unknown>): string {
  return describeForm(schema as Form);
}

function describeForm(form: Form): string {
  const [first, ...steps] = form.pipe ?? [];
  const said = (first === undefined ? [form] : steps).find(({ message }) => typeof message === 'string');
  if (said !== undefined) return said.message as string;
  if (first !== undefined) return describeForm(steps.findLast(({ kind }) => kind === 'schema') ?? first);
  const { type, expects, entries = {}, item, key, value, options = [] } = form;
  switch (type) {
    case 'strict_object':
      return describeMembers(Object.entries(entries));
    case 'union':
    case 'variant':
      return options.map(describeForm).join('; or ');
    case 'array':
      return `[${describeForm(item!)}, …]`;
    case 'record':
      return `{ [${describeForm(key!)}]: ${describeForm(value!)} }`;
    default:
      return FORMS[type] ?? withoutBrackets(expects);
  }
}

/** Members of one form are listed together: `{ plant?, event?: text }`. */
function describeMembers(members: readonly [name: string, form: Form][]): string {
  const names = new Map<string, string[]>();
  for (const [name, { wrapped, ...form }] of members.filter(
    ([, member]) => member.wrapped?.type !== 'never',
  )) {
    const described = describeForm(wrapped ?? form);
    names.set(described, [...(names.get(described) ?? []), wrapped === undefined ? name : `${name}?`]);
  }
  return `{ ${[...names].map(([form, of]) => `${of.join(', ')}: ${form}`).join(', ')} }`;
}

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
