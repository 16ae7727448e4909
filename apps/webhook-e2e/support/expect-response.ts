import { STATUS_CODES } from 'node:http';

import type { RawResponse } from './connection.js';

/** A whole response. It has nothing else than what is given here. */
export interface WantedResponse {
  readonly status: number;
  /** Header fields, names in lower case, besides Date, Content-Length and Connection. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether the receiver says that it closes the connection. */
  readonly closes?: boolean;
}

/** IMF-fixdate (RFC 9110 §5.6.7). */
const DATE =
  /^date: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Reason phrases besides Node's own, which for 413 is older than RFC 9110 §15.5.14. */
const REASONS: Readonly<Record<number, readonly string[]>> = { 413: ['Content Too Large'] };

/** Compares a response with what is wanted: status line, every field, and no content. */
export function expectResponse(response: RawResponse, want: WantedResponse): void {
  const { status, fields = {}, closes = false } = want;
  const lines = [STATUS_CODES[status]!, ...(REASONS[status] ?? [])].map(
    (reason) => `HTTP/1.1 ${status} ${reason}`,
  );
  expect(lines).toContain(response.line);
  expect(response.fields.map(normalize).sort()).toEqual(
    [
      'date: an IMF-fixdate',
      ...(status === 204 ? [] : ['content-length: 0']),
      ...(closes ? ['connection: close'] : []),
      ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    ].sort(),
  );
  expect(response.content).toBe('');
}

/** Field names are case-insensitive, and values may have whitespace around them (RFC 9110 §5.1, §5.5). */
function normalize(field: string): string {
  const colon = field.indexOf(':');
  const line = `${field.slice(0, colon).toLowerCase()}: ${field.slice(colon + 1).trim()}`;
  return line.replace(DATE, 'date: an IMF-fixdate');
}
