import { getSystemErrorMap } from 'node:util';

/** A system error, an AggregateError, or an error of OpenSSL, which has a reason. */
type SystemError = NodeJS.ErrnoException &
  Partial<Record<'address' | 'hostname' | 'reason', string | null>> & {
    readonly port?: number | null;
    readonly errors?: readonly unknown[];
  };

/**
 * Why something failed, for people: what the system reports in words, without its codes and the names of calls, and with
 * the address or host. An error that is not of the system has its own words. The commands, which share no library with
 * the SDK, have the same.
 */
export function systemReason(error: unknown): string {
  const { code, errno = 0, message, address, port, hostname, errors, reason } = (error ?? {}) as SystemError;
  if (errors?.length) return [...new Set(errors.map(systemReason))].join('; ');
  // Its words are those of the parser.
  if (String(code).startsWith('HPE_')) return 'what was received is not HTTP/1.1';
  const known = getSystemErrorMap();
  const words = (known.get(errno) ?? [...known.values()].find(([name]) => name === code))?.[1];
  const host = address?.includes(':') ? `[${address}]` : address;
  const where = hostname ?? (typeof port === 'number' ? `${host}:${port}` : undefined);
  if (words !== undefined) return where === undefined ? words : `${words} (${where})`;
  const own = [reason, message, code].find((text) => typeof text === 'string' && text.trim() !== '');
  return own?.trim().replace(/\.$/, '') ?? 'no reason was given';
}
