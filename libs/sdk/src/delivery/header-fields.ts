import { ignore, isPromiseLike } from '../encoders/promise-like.js';
import type { PlantStoreError } from '../errors/plant-store-error.js';
import type { RequestFields } from '../transport/transport.js';

/** Header fields to add to a request: a record, a `Headers`, a `Map`, or any other iterable of pairs. */
export type HeaderFields =
  Readonly<Record<string, string>> | Iterable<readonly [name: string, value: string]>;

/** Makes the error for a problem. The problem continues a sentence that begins with what has the fields. */
type MakeError = (problem: string, cause?: unknown) => PlantStoreError;

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads header fields that a caller gives, whatever their type is.
 *
 * @param reserved The names that a caller can't set, in lower case.
 * @returns A flat list of names and values.
 * @throws The error that `makeError` makes.
 */
export function readHeaderFields(
  fields: unknown,
  reserved: ReadonlySet<string | undefined>,
  makeError: MakeError,
): string[] {
  const list: string[] = [];
  for (const [name, value] of entriesOf(fields, makeError)) {
    if (typeof name !== 'string' || !namePattern.test(name)) throw makeError('has an invalid header name.');
    if (reserved.has(name.toLowerCase())) {
      throw makeError(
        `must not have ${name}. This header frames or describes the request, or an answer sets it.`,
      );
    }
    if (typeof value !== 'string' || !valuePattern.test(value)) {
      throw makeError(`has an invalid value of ${name}.`);
    }
    list.push(name, value);
  }
  return list;
}

/**
 * Adds the fields whose names there aren't yet.
 *
 * @param added A flat list of names and values.
 */
export function addFields(fields: RequestFields, added: readonly string[]): RequestFields {
  const names = new Set(Object.keys(fields).map((name) => name.toLowerCase()));
  // A field may have the name of a property that every object has.
  const all = Object.assign(Object.create(null) as RequestFields, fields);
  for (let index = 0; index < added.length; index += 2) {
    const [name, value] = [added[index]!, added[index + 1]!];
    if (names.has(name.toLowerCase())) continue;
    const before = all[name];
    all[name] = before === undefined ? value : [before, value].flat();
  }
  return all;
}

function entriesOf(fields: unknown, makeError: MakeError): readonly (readonly unknown[])[] {
  let entries: readonly unknown[] | undefined;
  try {
    if (isPromiseLike(fields)) ignore(fields);
    else if (typeof fields === 'object' && fields !== null) {
      entries = Symbol.iterator in fields ? [...(fields as Iterable<unknown>)] : Object.entries(fields);
    }
  } catch (cause) {
    throw makeError('threw an error when it was read; see `cause`.', cause);
  }
  if (entries?.every(isPair)) return entries;
  throw makeError('must be an object with header names and values, a Headers, a Map, or a list of pairs.');
}

function isPair(entry: unknown): entry is readonly unknown[] {
  return Array.isArray(entry) && entry.length === 2;
}
