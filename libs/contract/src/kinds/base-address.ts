import * as v from 'valibot';
import { kind } from './kind.js';
import { refuse } from './parts.js';

/** An absolute URL of HTTP: a host or an IPv6 address, a port and a path, without query and fragment. */
const ABSOLUTE_URL = /^https?:\/\/(?:[^\s/?#:@[\]<>^|%\\]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[^\s?#\\]*)?$/i;

/** HTTP over TLS, or plain HTTP to the same machine: a sender refuses any other (RFC 6750 §5.3). */
const SAFE_URL = /^(?:https:|http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$))/i;

const schema = v.pipe(
  v.string(),
  refuse((url) => /^[^/]*\/\/[^/]*@/.test(url), 'must not contain credentials, because it is published'),
  v.check(
    (url) => ABSOLUTE_URL.test(url) && SAFE_URL.test(url),
    'an absolute https URL without query and fragment (plain http only to loopback: RFC 6750 §5.3)',
  ),
);

export const baseAddress = kind('base-address', schema, {
  inWords: (url) => url,
  example: 'https://receiver.example',
  effects: {
    'sender.sends-to-address': ['info', (url) => `Sends to ${url} unless the caller passes \`baseUrl\`.`],
  },
  fails: (from, to) => {
    // While the question is open, the caller knows the address.
    if (from === undefined || to === undefined || from === to) return undefined;
    return `${from} is not the address of the receiver`;
  },
  step: (before) => (before === undefined ? 'minor' : 'major'),
  shows: { sender: { 'without `baseUrl`': 'may be left out' }, types: { 'without `baseUrl`': 'compiles' } },
});
