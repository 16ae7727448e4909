import { errors } from 'undici';
import { PlantStoreError } from '../errors/plant-store-error.js';
import { isRefusedHandshake, requestError } from './transport-error.js';

const lost = 'PLANT_STORE_CONNECTION_LOST';
const failed = 'PLANT_STORE_CONNECT_FAILED';
const unreadable = 'PLANT_STORE_RESPONSE_UNREADABLE';
const target = { origin: 'http://127.0.0.1:9', url: 'http://127.0.0.1:9/arbitrary' };
const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' });

test.each([
  ['a close before', new errors.SocketError('other side closed'), false, lost, 'not-sent'],
  ['a reset before', reset, false, failed, 'not-sent'],
  ['a reset after', reset, true, lost, 'unknown'],
  ['a close after', new errors.SocketError('other side closed'), true, lost, 'unknown'],
  ['an unknown error', new Error('x'), true, lost, 'unknown'],
  ['not HTTP', new errors.HTTPParserError('x'), true, unreadable, 'unknown'],
  ['too many headers', new errors.HeadersOverflowError(), true, unreadable, 'unknown'],
  // Through a proxy, nothing is done about it.
  ['a 100 that was not asked for', new errors.SocketError('bad response'), true, unreadable, 'unknown'],
  ['a 101 that was not asked for', new errors.SocketError('bad upgrade'), true, unreadable, 'unknown'],
] as const)('%s', (_, cause, handedOver, code, outcome) => {
  expect(requestError(cause, target, handedOver)).toMatchObject({ code, outcome, cause });
});

test('a PlantStoreError of a dispatcher stays as it is', () => {
  const error = new PlantStoreError('PLANT_STORE_CONNECT_FAILED', 'text', { outcome: 'not-sent' });

  expect(requestError(error, target, true)).toBe(error);
});

test.each([
  [
    'EMFILE',
    'connect EMFILE 127.0.0.1:9 - Local (undefined:undefined)',
    'too many files and sockets open (EMFILE)',
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', '00F0:error:0A00010B:SSL routines::wrong version number', 'not speak TLS'],
  ['CERT_HAS_EXPIRED', 'certificate has expired', 'the certificate of the receiver has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'Pass the authority as `ca`'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", 'for another host'],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9', ': connection refused.'],
  ['HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/', ': what was received is not HTTP/1.1.'],
])('%s has a reason that can be read', (code, message, reason) => {
  const error = requestError(Object.assign(new Error(message), { code }), target, false);

  expect(error.message).toContain(`Could not connect to ${target.origin}: `);
  expect(error.message).toContain(reason);
  expect(error.cause).toMatchObject({ code });
});

test('several addresses that refuse are all in the reason', () => {
  const causes = ['::1', '127.0.0.1'].map((address) =>
    Object.assign(new Error('arbitrary'), { code: 'ECONNREFUSED', address, port: 9 }),
  );

  const error = requestError(new AggregateError(causes), target, false);

  expect(error.message).toContain(': connection refused ([::1]:9); connection refused (127.0.0.1:9).');
});

test.each([
  ['TLSV13_ALERT_CERTIFICATE_REQUIRED', 0, true],
  ['SSLV3_ALERT_CERTIFICATE_EXPIRED', 0, true],
  ['SSLV3_ALERT_BAD_CERTIFICATE', 0, true],
  ['TLSV1_ALERT_UNKNOWN_CA', 0, true],
  // A response has come: the handshake was over long before.
  ['TLSV1_ALERT_UNKNOWN_CA', 1, false],
  // They may come after the request was read.
  ['TLSV1_ALERT_INTERNAL_ERROR', 0, false],
  ['SSLV3_ALERT_UNEXPECTED_MESSAGE', 0, false],
  ['SSLV3_ALERT_BAD_RECORD_MAC', 0, false],
])('the alert %s after %i bytes: whether the handshake was refused is %s', (alert, received, isRefused) => {
  expect(isRefusedHandshake(Object.assign(new Error('x'), { code: `ERR_SSL_${alert}` }), received)).toBe(
    isRefused,
  );
});
