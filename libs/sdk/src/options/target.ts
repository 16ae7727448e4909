import { facts } from '@plant-store/contract';
import type { Target } from '../transport/transport.js';
import { invalidOption } from '../errors/invalid-options-error.js';
import { missing } from './read-options.js';

/**
 * Reads `baseUrl`. The path of the target is that of the base address, the prefix of an answered request-versioning,
 * and the delivery path (question delivery-target).
 */
export function readTarget(
  baseUrl: unknown,
  pathPrefix: string | undefined,
  allowInsecureTransport: unknown,
): Target {
  const url = parse(baseUrl);
  refuseIf(!/^https?:$/.test(url.protocol), 'must begin with http:// or https://.');
  refuseIf(
    url.username !== '' || url.password !== '' || /[?#]/.test(url.href),
    'must not contain user information, a query or a fragment.',
  );
  refuseIf(
    url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureTransport !== true,
    'must begin with https:// (RFC 6750 §5.3, question transport-security). Plain HTTP needs a loopback address ' +
      'or `allowInsecureTransport`.',
  );
  refuseIf(
    url.pathname.replace(/\/$/, '').endsWith(facts.DELIVERY_PATH),
    `must not end in ${facts.DELIVERY_PATH}: it is appended. Pass the address before it.`,
  );
  const path = url.pathname.replace(/\/$/, '') + (pathPrefix ?? '') + facts.DELIVERY_PATH;
  return Object.freeze({ origin: url.origin, path, url: url.origin + path });
}

function parse(baseUrl: unknown): URL {
  if (baseUrl === undefined) throw missing('baseUrl', 'base-address');
  // A `URL` of another realm, such as that of a test runner, is one by its text.
  const text = typeof baseUrl === 'object' && baseUrl !== null ? (baseUrl as Partial<URL>).href : baseUrl;
  if (typeof text === 'string' && URL.canParse(text)) return new URL(text);
  throw invalidOption('baseUrl', 'must be an absolute URL, such as https://host/path.');
}

function refuseIf(isWrong: boolean, problem: string): void {
  if (isWrong) throw invalidOption('baseUrl', problem);
}

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname);
}
