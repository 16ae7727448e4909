/** JSON Pointers to a part of a value (RFC 6901). */

const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** Whether a text is a JSON Pointer to a part of a value; the empty one leads to all of it (RFC 6901 §3, §5). */
export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

/** The pointer to the part at these keys (RFC 6901 §3). */
export function pointerTo(...keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The keys on the way that a pointer names (RFC 6901 §4). */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The part of a JSON value at these keys; `undefined` if there is none. */
export function partAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce(memberOf, value);
}

/** A member of an object, or an element of an array, whose index has no leading zero (RFC 6901 §4). */
function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
