import { type IncomingMessage, METHODS } from 'node:http';

import type { RefusalReason } from '../observer.js';

/** The value of a header field as it was sent; undefined if the field is missing or empty. */
export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a request announces content (RFC 9112 §6). */
export function hasContent(request: IncomingMessage): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/** Why a message can't be processed, whoever sent it. */
export interface MessageFault {
  readonly status: number;
  readonly reason: RefusalReason;
  /** Whether what follows the head can't be read as a message any more. */
  readonly closes: boolean;
}

const NOT_HTTP: MessageFault = { status: 400, reason: 'not-http', closes: true };
const HOST_INVALID: MessageFault = { status: 400, reason: 'host-invalid', closes: false };
const TOO_MANY_FIELDS: MessageFault = { status: 431, reason: 'too-many-fields', closes: true };
const CODING_UNKNOWN: MessageFault = { status: 501, reason: 'transfer-coding-unknown', closes: true };
const VERSION_UNSUPPORTED: MessageFault = {
  status: 505,
  reason: 'http-version-unsupported',
  closes: true,
};

/** Node's parser also reads the methods of RTSP. */
const HTTP_METHODS: ReadonlySet<string | undefined> = new Set(METHODS);

const MAX_HEADER_FIELDS = 1_000;

/** `Host` (RFC 9110 §7.2, RFC 3986 §3.2.2): an IP literal or a registered name, and a port. */
const VALID_HOST =
  /^(?:\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** The only transfer coding that is decoded, in a list that may have empty elements (RFC 9110 §5.6.1). */
const ONLY_CHUNKED = /^[\s,]*(?:chunked[\s,]*)?$/i;

/** Without it at the end, nobody knows where the content ends (RFC 9112 §6.3). */
const CHUNKED_LAST = /(?:^|[\s,])chunked[\s,]*$/i;

/**
 * Checks what must be right before anything else of a request is looked at: its version (RFC 9110 §15.6.6), its method,
 * the number of its fields (RFC 6585 §5), its transfer codings (RFC 9112 §6.1) and its `Host` (RFC 9112 §3.2).
 */
export function messageFaultOf(request: IncomingMessage): MessageFault | undefined {
  const { rawHeaders, httpVersionMajor, httpVersionMinor, method } = request;
  if (httpVersionMajor !== 1) return VERSION_UNSUPPORTED;
  if (!HTTP_METHODS.has(method)) return NOT_HTTP;
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) return TOO_MANY_FIELDS;
  let hosts = 0;
  let codings = '';
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += VALID_HOST.test(value) ? 1 : 2;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      codings += `,${value}`;
    }
  }
  if (codings !== '' && !ONLY_CHUNKED.test(codings)) {
    return CHUNKED_LAST.test(codings) ? CODING_UNKNOWN : NOT_HTTP;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0) ? undefined : HOST_INVALID;
}

/**
 * Whether the sender waits for 100 (Continue) before it sends the content. HTTP/1.0 has no such expectation
 * (RFC 9110 §10.1.1, §15.2).
 */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}
