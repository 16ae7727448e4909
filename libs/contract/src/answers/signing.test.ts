import { signedPieces, type SigningScheme } from './signing.js';

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
