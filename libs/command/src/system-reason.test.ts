import { constants } from 'node:os';
import { systemReason } from './system-reason.js';

const refused = { errno: -constants.errno.ECONNREFUSED, port: 80 };

test.each<[string, unknown, string]>([
  ['a call', { errno: -constants.errno.ENOENT, message: 'ENOENT: open' }, 'no such file or directory'],
  ['a code alone', { code: 'ENOSPC' }, 'no space left on device'],
  ['an address', { ...refused, address: '127.0.0.1' }, 'connection refused (127.0.0.1:80)'],
  ['no address', { errno: -constants.errno.EINVAL, address: null, port: null }, 'invalid argument'],
  ['an address of IPv6', { ...refused, address: '::1' }, 'connection refused ([::1]:80)'],
  ['several errors', new AggregateError([new Error('one'), new Error('two'), new Error('one')]), 'one; two'],
  ['OpenSSL', { reason: 'wrong version number', message: 'error:0A00010B' }, 'wrong version number'],
  ['a parser of HTTP', { code: 'HPE_INVALID_CONSTANT' }, 'what was received is not HTTP/1.1'],
  ['an error of its own', new Error('It has gone. '), 'It has gone'],
  ['nothing', {}, 'no reason was given'],
  ['no error', undefined, 'no reason was given'],
])('the reason of %s', (_name, error, reason) => {
  expect(systemReason(error)).toBe(reason);
});
