import { errors } from 'undici';
import { PlantStoreError } from '../errors/plant-store-error.js';
import { requestError } from './transport-error.js';

const lost = 'PLANT_STORE_CONNECTION_LOST';
const unreadable = 'PLANT_STORE_RESPONSE_UNREADABLE';

test.each([
  ['nothing handed over', new errors.SocketError('other side closed'), false, lost, 'not-sent'],
  ['a reset before', Object.assign(new Error('x'), { code: 'ECONNRESET' }), false, lost, 'not-sent'],
  ['a reset after', Object.assign(new Error('x'), { code: 'ECONNRESET' }), true, lost, 'unknown'],
  ['a close after', new errors.SocketError('other side closed'), true, lost, 'unknown'],
  ['an unknown error', new Error('x'), true, lost, 'unknown'],
  ['not HTTP', new errors.HTTPParserError('x'), true, unreadable, 'unknown'],
  ['too many headers', new errors.HeadersOverflowError(), true, unreadable, 'unknown'],
  ['a 100 that was not asked for', new errors.SocketError('bad response'), true, unreadable, 'unknown'],
  ['a 101 that was not asked for', new errors.SocketError('bad upgrade'), true, unreadable, 'unknown'],
] as const)('%s', (_, cause, handedOver, code, outcome) => {
  expect(requestError(cause, 'http://127.0.0.1:9', handedOver)).toMatchObject({ code, outcome, cause });
});

test('a PlantStoreError is copied, so that each delivery gets its own', () => {
  const cause = new Error('arbitrary');
  const shared = new PlantStoreError('PLANT_STORE_CONNECT_FAILED', 'text', { outcome: 'not-sent', cause });
  const own = requestError(shared, 'http://127.0.0.1:9', true);

  expect(own).not.toBe(shared);
  expect(own).toMatchObject({ code: shared.code, message: 'text', outcome: 'not-sent', cause });
});
