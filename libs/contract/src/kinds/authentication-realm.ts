import { kind } from './kind.js';
import { headerValue } from './parts.js';

/** The name of a realm (RFC 9110 §11.5). */
export const authenticationRealm = kind('authentication-realm', headerValue, {
  inWords: (realm) => `"${realm}"`,
  example: 'example',
  more: { other: 'other' },
  effects: {
    'receiver.names-realm': ['info', (_realm, { words }) => `Names the realm ${words} in each challenge.`],
  },
  step: () => 'patch',
  shows: {
    receiver: {
      'without a token': '401 · Bearer realm="example"',
      'with a wrong token': '401 · Bearer realm="example", error="invalid_token"',
    },
  },
});
