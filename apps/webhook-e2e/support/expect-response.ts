import type { RawResponse } from './connection.js';

/** A whole response. It has nothing else than what is given here. */
export interface WantedResponse {
  readonly status: number;
  /** Header fields, names in lower case, besides Date, Content-Length and Connection. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether the receiver says that it closes the connection. */
  readonly closes?: boolean;
}

/** Compares a response with what is wanted: status, every field, and no content. What each line looks like is in the wire catalogue. */
export function expectResponse(response: RawResponse, want: WantedResponse): void {
  const { status, fields = {}, closes = false } = want;
  expect(response.line).toMatch(`HTTP/1.1 ${status} `);
  expect(response.fields.map(normalize).sort()).toEqual(
    [
      'date: …',
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
  return `${field.slice(0, colon).toLowerCase()}: ${field.slice(colon + 1).trim()}`.replace(
    /^date: .*/,
    'date: …',
  );
}
