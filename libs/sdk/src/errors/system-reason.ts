import { getSystemErrorMap } from 'node:util';

/** What a system error may have beside its message, an AggregateError, and an error of OpenSSL. */
interface SystemError {
  readonly code?: unknown;
  readonly errno?: number;
  readonly message?: unknown;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly errors?: readonly unknown[];
  readonly reason?: unknown;
}

/**
 * Why something failed, for people: what the system reports in words, without its codes and the names of calls, and with
 * the address or host. An error that is not of the system has its own words.
 */
export function systemReason(error: unknown): string {
  const {
    code,
    errno = 0,
    message,
    address = '',
    port,
    hostname,
    errors = [],
    reason,
  } = (error ?? {}) as SystemError;
  if (errors.length > 0) return [...new Set(errors.map(systemReason))].join('; ');
  // Its words are those of the parser.
  if (String(code).startsWith('HPE_')) return 'what was received is not HTTP/1.1';
  const known = getSystemErrorMap();
  const words = (known.get(errno) ?? [...known.values()].find(([name]) => name === code))?.[1];
  const host = address.includes(':') ? `[${address}]` : address;
  const where = hostname ?? (port === undefined ? undefined : `${host}:${port}`);
  if (words !== undefined) return where === undefined ? words : `${words} (${where})`;
  const own = [reason, message, code].find((text) => typeof text === 'string' && text.trim() !== '');
  return own === undefined ? 'no reason was given' : (own as string).trim().replace(/\.$/, '');
}
