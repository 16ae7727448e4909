import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { ReceiverError } from '../errors.js';
import { createTokenMatcher, readAccessTokensFile } from './access-token-source.js';

const anyToken = createTokenMatcher(undefined);

function makeFile(text: string): string {
  const file = join(makeFolder(), 'tokens');
  writeFileSync(file, text);
  return file;
}

test.each([
  { name: 'one a line', text: 'one\ntwo\n', want: ['one', 'two'] },
  { name: 'lines as Windows writes them', text: 'one\r\ntwo\r\n', want: ['one', 'two'] },
  { name: 'a byte order mark', text: '\ufeffone\n', want: ['one'] },
  { name: 'empty lines', text: '\n\none\n\n\ntwo\n\n', want: ['one', 'two'] },
  { name: 'white space around a token', text: '  one\t\n', want: ['one'] },
  { name: 'comments', text: '# of the sender\none\n  # of another\n#two\n', want: ['one'] },
  { name: 'every character of a token', text: 'aZ09-._~+/==\n', want: ['aZ09-._~+/=='] },
])('reads $name', ({ text, want }) => {
  expect(readAccessTokensFile(makeFile(text), anyToken).tokens).toEqual(want);
});

test('with a format, refuses a token of another format, and quotes nothing', () => {
  const file = makeFile('# a comment\na-one\nsecret\n');
  const format = createTokenMatcher({ name: 'as agreed', pattern: '^a-' });

  expect(readAccessTokensFile(file, format).tokens).toEqual(
    new ReceiverError(
      'ACCESS_TOKENS_UNREADABLE',
      `ACCESS_TOKENS_FILE: the access tokens in ${file} cannot be used: line 3 is not an access token (RFC 6750 §2.1, b64token) of the format as agreed (token-format).`,
    ),
  );
  expect(readAccessTokensFile(makeFile('a-one\n'), format).tokens).toEqual(['a-one']);
});

describe('refuses', () => {
  const faultOf = (file: string): ReceiverError =>
    readAccessTokensFile(file, anyToken).tokens as ReceiverError;

  test.each([
    { name: 'nothing', text: '', reason: 'it has no access token; write one on a line of its own' },
    {
      name: 'comments alone',
      text: '# one\n',
      reason: 'it has no access token; write one on a line of its own',
    },
    { name: 'two in a line', text: 'a-secret another-secret', reason: 'line 1 is not an access token' },
    {
      name: 'a comment behind a token',
      text: 'one\na-secret # why',
      reason: 'line 2 is not an access token',
    },
    {
      name: 'several wrong lines',
      text: '"a-secret"\none\na=secret\n',
      reason: 'line 1, 3 is not an access token',
    },
    {
      name: 'a last line without an end',
      text: 'one\na-secret',
      reason: 'line 2 has no line end, so it may be cut; end the last line with a line feed',
    },
    {
      name: 'a comment without an end, which may be a cut line',
      text: 'one\n# ',
      reason: 'line 2 has no line end, so it may be cut; end the last line with a line feed',
    },
    { name: 'half of a line end', text: 'a-secret\r', reason: 'line 1 has no line end' },
    { name: 'other letters', text: 's\u00e9cret', reason: 'line 1 is not an access token' },
  ])('$name, and quotes nothing', ({ text, reason }) => {
    const file = makeFile(text);
    const error = faultOf(file);

    expect(error).toBeInstanceOf(ReceiverError);
    expect(error.code).toBe('ACCESS_TOKENS_UNREADABLE');
    expect(error.message).toContain(
      `ACCESS_TOKENS_FILE: the access tokens in ${file} cannot be used: ${reason}`,
    );
    expect(error.message).not.toMatch(/s.?cret/);
  });

  test('a missing file', () => {
    const file = join(makeFolder(), 'none');
    const error = faultOf(file);

    expect(error).toMatchObject({ code: 'ACCESS_TOKENS_UNREADABLE', cause: { code: 'ENOENT' } });
    expect(error.message).toContain(file);
  });

  test('a folder', () => {
    const folder = makeFolder();

    expect(faultOf(folder)).toEqual(
      new ReceiverError(
        'ACCESS_TOKENS_UNREADABLE',
        `ACCESS_TOKENS_FILE: the access tokens in ${folder} cannot be used: it is not a regular file; write the tokens into one.`,
      ),
    );
  });
});
