import type { IncomingMessage } from 'node:http';

/** The value of a request's field, as it stands there; undefined if there is none, or nothing in it. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
