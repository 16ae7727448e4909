import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether a handler is a service to forward to. */
export const isHttpUrl = (source: string): boolean => /^https?:/i.test(source);

/** What HANDLER names, for people. The query of a URL may have a secret. */
export function shownSource(source: string): string {
  if (!isHttpUrl(source)) return source;
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}

/** The absolute path of a module. */
export const modulePath = (source: string): string =>
  /^file:/i.test(source) ? fileURLToPath(source) : resolve(source);

/**
 * Whether this can name a handler: the path or the `file:` URL of a module, or the URL of a service without
 * a user name and a password, which would stand beside the fields of the delivery.
 */
export function namesHandler(source: string): boolean {
  // A drive of Windows isn't a scheme.
  if (!/^[a-z][a-z\d+.-]+:/i.test(source)) return true;
  if (!URL.canParse(source)) return false;
  const { protocol, hostname, username, password } = new URL(source);
  if (protocol === 'file:') return hostname === '';
  return isHttpUrl(source) && username === '' && password === '';
}
