/** Small checks that several kinds of answers share. A check returns what is wrong, and nothing if all is well. */

import { RESERVED_FIELDS } from '../standards.js';

/** The longest time that a timer can wait, in milliseconds. */
const MAX_TIME = 2_147_483_647;

/** The name of a header field (RFC 9110 §5.1). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A value of a header field that needs no encoding (RFC 9110 §5.5). */
const FIELD_VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;

/** A media type without parameters (RFC 9110 §8.3.1). */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * More fields that no answer can use: OpenAPI ignores a parameter called `Accept` (3.1.0 §4.8.12.2), and several
 * `Set-Cookie` fields can't be combined into one value (RFC 9110 §5.3). Node.js drops a field called `__proto__`.
 */
const NOT_FOR_ANSWERS = ['accept', 'set-cookie', '__proto__'];

/** The fault, unless the condition is met. */
export function unless(isMet: boolean, fault: string): string[] {
  return isMet ? [] : [fault];
}

/** A text must say something. */
export function textFaults(name: string, text: string): string[] {
  return unless(text.trim() !== '', `${name} must not be empty`);
}

/** A number must be whole and within bounds, both included. */
export function wholeNumberFaults(name: string, value: number, from: number, to: number): string[] {
  return unless(
    Number.isSafeInteger(value) && value >= from && value <= to,
    `${name} must be a whole number from ${inWords(from)} to ${inWords(to)} (got ${value})`,
  );
}

/** A time must be one that a timer can wait, in milliseconds. */
export function timeFaults(name: string, value: number, from: number): string[] {
  return wholeNumberFaults(`${name}, in milliseconds,`, value, from, MAX_TIME);
}

/** The name of a header field must be valid, and free for an answer to use. */
export function headerNameFaults(name: string): string[] {
  if (!FIELD_NAME.test(name)) return [`has an invalid header name (got ${JSON.stringify(name)})`];
  return unless(
    ![...RESERVED_FIELDS, ...NOT_FOR_ANSWERS].includes(name.toLowerCase()),
    `cannot use the header ${name}, because HTTP, OpenAPI or Node.js reserves it`,
  );
}

/** The value of a header field must be printable ASCII. */
export function headerValueFaults(name: string, value: string): string[] {
  return unless(
    FIELD_VALUE.test(value),
    `${name} must be printable ASCII that neither begins nor ends with a space (got ${JSON.stringify(value)})`,
  );
}

/** A media type must be one, without parameters. */
export function mediaTypeFaults(name: string, mediaType: string): string[] {
  return unless(
    MEDIA_TYPE.test(mediaType),
    `${name} must be a media type without parameters, such as application/json (got ${mediaType})`,
  );
}

/** The name of a component must be one (OpenAPI 3.1.0 §4.8.7). */
export function componentNameFaults(of: string, name: string): string[] {
  return unless(
    /^[a-zA-Z0-9._-]+$/.test(name),
    `${of} must consist of letters, digits, dots, hyphens and underscores, for it is the name of a component (got ${JSON.stringify(name)})`,
  );
}

/** Whether a media type, with parameters or without, is one of JSON (RFC 8259; RFC 6839 §3.1). */
export function isJsonMediaType(mediaType: string): boolean {
  return /^(?:application\/json|[\w.!#$&^+-]+\/[\w.!#$&^+-]+\+json) *(?:;|$)/i.test(mediaType);
}

/** A number as a person writes it: 1,000,000. */
function inWords(value: number): string {
  return value.toLocaleString('en');
}
