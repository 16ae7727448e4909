import { isIPv4 } from 'node:net';
import { DELIVERY_PATH } from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import type { Target } from '../transport/transport.js';
import { Fault, missing } from './faults.js';

/**
 * Reads `baseUrl`, or uses the answer to the question base-address. The path of the target is that of the base
 * address, the prefix of an answered request-versioning, and the delivery path (question delivery-target).
 */
export function readTarget(
  answered: AnsweredSettings,
  baseUrl: unknown,
  allowInsecureTransport: unknown,
): Target {
  const url = parse(baseUrl ?? answered.baseUrl);
  refuseIf(url.protocol !== 'http:' && url.protocol !== 'https:', 'must begin with http:// or https://.');
  refuseIf(
    url.username !== '' || url.password !== '',
    'must not contain user information. The access token authenticates the sender.',
  );
  refuseIf(/[?#]/.test(url.href), 'must not contain a query or a fragment.');
  refuseIf(
    url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureTransport !== true,
    'must begin with https://, because over plain HTTP others can read the access token (RFC 6750 §5.3, question ' +
      'transport-security). Plain HTTP is allowed to loopback addresses. To allow it everywhere, set ' +
      '`allowInsecureTransport` or --allow-insecure-transport.',
  );
  const path = url.pathname.replace(/\/$/, '') + answered.pathPrefix + DELIVERY_PATH;
  return Object.freeze({ origin: url.origin, path, url: url.origin + path });
}

function parse(baseUrl: unknown): URL {
  if (baseUrl === undefined) throw missing('baseUrl', 'base-address');
  const text = baseUrl instanceof URL ? baseUrl.href : baseUrl;
  if (typeof text === 'string' && URL.canParse(text)) return new URL(text);
  throw new Fault('baseUrl', 'must be an absolute URL, such as https://host or https://host/path.');
}

function refuseIf(isWrong: boolean, problem: string): void {
  if (isWrong) throw new Fault('baseUrl', problem);
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
