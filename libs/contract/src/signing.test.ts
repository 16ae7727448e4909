import { KEY_PATTERNS, signedPieces, type SigningScheme } from './signing.js';

const values = { eventId: 'id', timestamp: '17', content: new Uint8Array([1, 2]) };
const scheme: SigningScheme = {
  algorithm: 'hmac-sha256',
  signed: ['content'],
  separator: '.',
  signature: { header: 'signature', prefix: '', encoding: 'hex' },
  key: { prefix: '', encoding: 'utf8' },
};

test('the parts come in the order of the answer, with the separator between them', () => {
  expect(signedPieces({ ...scheme, signed: ['event-id', 'timestamp', 'content'] }, values)).toEqual([
    'id',
    '.',
    '17',
    '.',
    values.content,
  ]);
});

test('content alone is signed as it is', () => {
  expect(signedPieces(scheme, values)).toEqual([values.content]);
});

test.each<[SigningScheme['key']['encoding'], string, boolean]>([
  ['base64', 'YQ==', true],
  ['base64', 'YQ', true],
  ['base64', '', false],
  ['base64', 'YQ=', false],
  ['base64', 'Y,Q=', false],
  ['utf8', 'a key: ÄÖÜ #1', true],
  ['utf8', '', false],
  ['utf8', 'one,other', false],
  ['utf8', ' key', false],
  ['utf8', 'key\u00a0', false],
  ['utf8', '#key', false],
  ['utf8', 'one\nother', false],
])('a key in %s may be %j: %j', (encoding, key, isKey) => {
  expect(KEY_PATTERNS[encoding].test(key)).toBe(isKey);
});
