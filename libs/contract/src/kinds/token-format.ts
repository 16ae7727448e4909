import * as v from 'valibot';
import { kind } from './kind.js';
import { said, textThat } from './parts.js';

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return source !== '';
  } catch {
    return false;
  }
}

/** What access tokens look like. They are compared whole, whatever their format. */
const schema = v.strictObject({
  /** The name of the format. OpenAPI shows it as `bearerFormat`. */
  name: said,
  /**
   * Source of a regular expression that every token must match, in addition to the syntax of RFC 6750 §2.1. It may
   * match anywhere in a token: begin with `^` and end with `$` to match all of it.
   */
  pattern: textThat(isPattern, 'a regular expression that is not empty'),
});

export const tokenFormat = kind('token-format', schema, {
  inWords: ({ name, pattern }) => `${name}, which matches \`/${pattern}/\``,
  example: { name: 'example', pattern: '^example-' },
  more: {
    other: { name: 'other', pattern: '^other-' },
    renamed: { name: 'renamed', pattern: '^example-' },
  },
  effects: {
    'receiver.refuses-token': [
      'breaking',
      ({ pattern }) => `Takes only access tokens that match \`/${pattern}/\`; other tokens get 401.`,
    ],
    'sender.refuses-token': [
      'breaking',
      ({ pattern }) => `Refuses an access token that does not match \`/${pattern}/\`.`,
    ],
  },
  fails: (from, to) => {
    if (to === undefined || from?.pattern === to.pattern) return undefined;
    return `an access token that does not match \`/${to.pattern}/\` gets 401`;
  },
  step: (before, after) => {
    if (before?.pattern === after?.pattern) return 'patch';
    return after === undefined ? 'minor' : 'major';
  },
  shows: {
    receiver: { 'started with other settings': 'refuses ACCESS_TOKENS' },
    sender: { 'with a token of another format': 'needs accessToken' },
  },
});
