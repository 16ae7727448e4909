import type { IncomingMessage } from 'node:http';

import { CONNECTION_FIELDS } from '@plant-store/contract';

import type { HeaderField } from '../inbox/inbox-operations.js';

/** Fields with credentials (RFC 9110 §11.6.2, §11.7.2; RFC 6265 §4.2). They are not stored. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

const LEFT_OUT: ReadonlySet<string> = new Set([...CREDENTIALS, ...CONNECTION_FIELDS]);

/** Most names have another length, and needn't be compared, which makes it three times as fast. */
const LENGTHS: ReadonlySet<number> = new Set([...LEFT_OUT].map(({ length }) => length));

/** Values of `Connection` that name no further field. Nearly every request has one of them. */
const NAMES_NOTHING: ReadonlySet<string> = new Set(['keep-alive', 'close']);

/** What comes before the content of a request. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;

/** The value of a header field as it was sent; undefined if the field is missing or empty. */
export function headerOf({ headers }: RequestHead, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The values of a header field, one for each of its lines. For fields that may have only one, Node otherwise drops the
 * further lines.
 *
 * @param name in lower case
 */
export function linesOf({ rawHeaders }: Pick<RequestHead, 'rawHeaders'>, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const found = rawHeaders[index] as string;
    if (found.length === name.length && found.toLowerCase() === name)
      values.push(rawHeaders[index + 1] as string);
  }
  return values;
}

/** Whether a request announces content (RFC 9112 §6). */
export function hasContent({ headers }: RequestHead): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * Whether the sender waits for 100 (Continue) before it sends the content. HTTP/1.0 has no such expectation
 * (RFC 9110 §10.1.1, §15.2).
 */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}

/**
 * The fields of a head that are stored: all but credentials and those of the connection, those that `Connection` names
 * included. The parser has limited their size.
 *
 * @param rawHeaders names and values in turn, as Node has them
 */
export function storedFields(rawHeaders: readonly string[]): HeaderField[] {
  const fields: HeaderField[] = [];
  let named: ReadonlySet<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    const lowerCase = LENGTHS.has(name.length) ? name.toLowerCase() : name;
    if (lowerCase === 'connection' && !NAMES_NOTHING.has(value.toLowerCase()))
      named = new Set([...(named ?? []), ...fieldNamesOf(value)]);
    if (!LEFT_OUT.has(lowerCase)) fields.push([name, value]);
  }
  const also = named;
  return also === undefined ? fields : fields.filter(([name]) => !also.has(name.toLowerCase()));
}

/** The names in a `Connection` field. */
function fieldNamesOf(value: string): string[] {
  return value.split(',').map((option) => option.trim().toLowerCase());
}
