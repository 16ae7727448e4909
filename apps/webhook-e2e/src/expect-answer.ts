import { STATUS_CODES } from 'node:http';

import type { Answer } from './connection.js';

/** The whole of an answer. What is not named here must not be there. */
export interface WantedAnswer {
  readonly status: number;
  /** Fields besides HTTP's own: names in lower case. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Whether the receiver says that it closes the connection. */
  readonly closes?: boolean;
}

/** IMF-fixdate (RFC 9110 §5.6.7). */
const DATE =
  /^date: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** What a status is called; Node's name of 413 is an older one than that of RFC 9110 §15.5.14. */
const REASONS: Readonly<Record<number, readonly string[]>> = { 413: ['Content Too Large'] };

/** Holds an answer to what is wanted: status line, every field, and no content. */
export function expectAnswer(answer: Answer, want: WantedAnswer): void {
  const { status, fields = {}, closes = false } = want;
  const lines = [STATUS_CODES[status]!, ...(REASONS[status] ?? [])].map(
    (reason) => `HTTP/1.1 ${status} ${reason}`,
  );
  expect(lines).toContain(answer.line);
  expect(answer.fields.map(normalize).sort()).toEqual(
    [
      'date: an IMF-fixdate',
      ...(status === 204 ? [] : ['content-length: 0']),
      ...(closes ? ['connection: close'] : []),
      ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    ].sort(),
  );
  expect(answer.content).toBe('');
}

/** A field's name is case-insensitive, and its value may have space around (RFC 9110 §5.1, §5.5). */
function normalize(field: string): string {
  const colon = field.indexOf(':');
  const line = `${field.slice(0, colon).toLowerCase()}: ${field.slice(colon + 1).trim()}`;
  return line.replace(DATE, 'date: an IMF-fixdate');
}
