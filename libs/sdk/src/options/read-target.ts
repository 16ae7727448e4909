import { isIPv4 } from 'node:net';
import { facts } from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { Fault } from './fault.js';
import { missing } from './missing.js';

/** Where deliveries go. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /**
   * The path of the base address with the delivery path appended (question delivery-target), behind the prefix of an
   * answered request-versioning.
   */
  readonly path: string;
  /** Both, for people. */
  readonly url: string;
}

/** Reads `baseUrl`, or takes the answer to the question base-address. */
export function readTarget(
  answered: AnsweredSettings,
  baseUrl: unknown,
  allowInsecureTransport: unknown,
): Target {
  const url = parse(baseUrl ?? answered.baseUrl);
  refuse(url.protocol !== 'http:' && url.protocol !== 'https:', 'must begin with http:// or https://.');
  refuse(
    url.username !== '' || url.password !== '',
    'must not contain user information; the bearer token authenticates.',
  );
  refuse(/[?#]/.test(url.href), 'must not contain a query or a fragment.');
  refuse(
    url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureTransport !== true,
    'must begin with https://, or anybody on the way can read the access token (RFC 6750 §5.3, question ' +
      'transport-security). Plain HTTP goes to loopback addresses only, unless `allowInsecureTransport` or ' +
      '--allow-insecure-transport is set.',
  );
  const path = url.pathname.replace(/\/$/, '') + answered.pathPrefix + facts.DELIVERY_PATH;
  return Object.freeze({ origin: url.origin, path, url: url.origin + path });
}

function parse(baseUrl: unknown): URL {
  if (baseUrl === undefined) throw missing('baseUrl', 'base-address');
  const text = baseUrl instanceof URL ? baseUrl.href : baseUrl;
  if (typeof text === 'string' && URL.canParse(text)) return new URL(text);
  throw new Fault('baseUrl', 'must be an absolute URL, as https://host or https://host/path.');
}

function refuse(wrong: boolean, problem: string): void {
  if (wrong) throw new Fault('baseUrl', problem);
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
