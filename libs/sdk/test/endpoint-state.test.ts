import type { Failure } from '@plant-store/contract';
import { NotAcknowledgedError, type Outcome, PlantStoreError } from '../src/index.js';
import { EndpointState } from '../src/outbox/endpoint-state.js';
import { Outage } from '../src/outbox/outage.js';

const failed = (code: string, outcome: Outcome = 'not-sent'): Error =>
  new PlantStoreError(code as never, `${code} happened.`, { outcome });

const refused = (status: number, failure?: Failure): Error => {
  const response = { status, headers: {}, content: new Uint8Array(), truncated: false };
  return new NotAcknowledgedError(response, 'http://127.0.0.1', { failure });
};

const openState = (): EndpointState => new EndpointState(() => {});

/** Which of these attempts, one after the other, show the endpoint's fault: 1 if they do. The key is the entry. */
function faultsOf(state: EndpointState, ...attempts: [id: number, error?: Error | undefined][]): number[] {
  return attempts.map(([id, error]) => Number(state.note(id, error, true)));
}

/** The same error of ten entries. */
const ofMany = (error: Error): [number, Error][] => Array.from({ length: 10 }, (_, index) => [index, error]);

test.each<[string, number, Error[]]>([
  [
    'at once, if no entry can cause it',
    0,
    [
      ...[
        'CONNECT_FAILED',
        'CONNECT_TIMEOUT',
        'CONNECTION_LOST',
        'ACCESS_TOKEN_FAILED',
        'SIGNING_KEY_FAILED',
      ],
    ].map((code) => failed(`PLANT_STORE_${code}`)),
  ],
  [
    'from the fifth entry on, if one entry could cause it',
    4,
    [
      ...[301, 308, 401, 403, 404, 405, 407, 410, 421, 426, 501, 505, 511].map((status) => refused(status)),
      ...[refused(400, 'credentials-malformed'), refused(418, 'token-invalid')],
      ...['HEADERS_FAILED', 'RETRY_FAILED', 'ATTEMPT_TIMEOUT', 'TOTAL_TIMEOUT', 'OF_A_LATER_VERSION'].map(
        (code) => failed(`PLANT_STORE_${code}`),
      ),
    ],
  ],
  [
    'never, if it is the entry that fails, or the plant may have arrived',
    10,
    [
      ...[200, 400, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504].map((status) => refused(status)),
      ...[refused(401, 'rate-exceeded'), refused(404, 'content-invalid')],
      ...['INVALID_OPTIONS', 'ENCODE_FAILED', 'CONTENT_TOO_LARGE'].map((code) =>
        failed(`PLANT_STORE_${code}`),
      ),
      ...['CONNECTION_LOST', 'ATTEMPT_TIMEOUT'].map((code) => failed(`PLANT_STORE_${code}`, 'unknown')),
      new TypeError('arbitrary'),
    ],
  ],
])('the endpoint is at fault %s', (_when, after, errors) => {
  const found = errors.map((error) => [error.message, faultsOf(openState(), ...ofMany(error))]);

  const expected = [...Array<number>(after).fill(0), ...Array<number>(10 - after).fill(1)];
  expect(found).toEqual(errors.map(({ message }) => [message, expected]));
});

test('an entry alone does not stop the others, however often it is refused', () => {
  const state = openState();

  expect(
    faultsOf(state, ...Array.from({ length: 9 }, (): [number, Error] => [1, refused(403)])),
  ).not.toContain(1);
  expect(faultsOf(state, [2, refused(404)], [3, refused(404)], [4, refused(404)], [5])).not.toContain(1);
  expect(faultsOf(state, ...ofMany(refused(403)).slice(0, 4))).not.toContain(1);
  expect(state.mode).toBe('open');
});

test('what says nothing about the endpoint leaves it in doubt', () => {
  const state = openState();
  const lost = failed('PLANT_STORE_CONNECTION_LOST', 'unknown');

  expect(faultsOf(state, ...ofMany(refused(401)).slice(0, 4), [4, lost], [5, refused(401)])).toEqual([
    ...[0, 0, 0, 0],
    ...[0, 1],
  ]);
  expect(faultsOf(state, [6, lost])).toEqual([0]);
  expect(state.mode).toBe('probing');
});

test.each([
  ['may have arrived', failed('PLANT_STORE_CONNECTION_LOST', 'unknown')],
  ['were refused with 503', refused(503)],
])('entries that %s are not the fault, but the others wait', (_case, error) => {
  const state = openState();
  const many = ofMany(error);

  expect(faultsOf(state, ...many.slice(0, 4))).not.toContain(1);
  expect(state.mode).toBe('open');
  expect(faultsOf(state, ...many.slice(4))).not.toContain(1);
  expect(state.mode).toBe('probing');
});

test.each<[string, Error | undefined]>([
  ['an acknowledgement', undefined],
  ['a refusal of the content', refused(422)],
  ['another state of the receiver', refused(429)],
])('it is open again after %s, and a new row is needed', (_case, error) => {
  const state = openState();
  faultsOf(state, ...ofMany(refused(401)));

  expect(faultsOf(state, [1, error], ...ofMany(refused(401)).slice(0, 4))).not.toContain(1);

  expect([state.mode, state.beginAt]).toEqual(['open', 0]);
});

test('a response after failed connections shows that the endpoint is there', () => {
  const state = openState();
  faultsOf(state, [1, failed('PLANT_STORE_CONNECT_FAILED')]);

  expect(faultsOf(state, [1, refused(404)])).toEqual([0]);

  expect(state.mode).toBe('open');
});

test('an outage waits twice as long each time, within its bound, and tells each error once', () => {
  const told: string[] = [];
  const outage = new Outage('database', 250, 5_000, ({ message }) => told.push(message));
  const waits = Array.from({ length: 9 }, (_, index) =>
    outage.fail(new Error(index % 4 === 2 ? 'two' : 'one')),
  );

  const bounds = [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000];
  const isWithin = bounds.map((bound, index) => waits[index]! <= bound && waits[index]! >= bound / 2);
  expect([isWithin, told]).toEqual([Array(9).fill(true), ['one', 'two']]);
  outage.end();
  expect(outage.fail(new Error('one'))).toBeLessThanOrEqual(250);
  expect(told).toHaveLength(3);
});

test('an outage tells a status once, whatever each response says about what to do', () => {
  const told: string[] = [];
  const outage = new Outage('endpoint', 250, 5_000, ({ message }) => told.push(message));
  for (const seconds of ['30', '29', '28']) {
    const response = { status: 503, headers: { 'retry-after': seconds } };
    outage.fail(
      new NotAcknowledgedError({ ...response, content: new Uint8Array(), truncated: false }, 'url'),
    );
  }

  expect(told).toEqual([
    'url responded with 503 (Retry-After: 30), which does not acknowledge the delivery.',
  ]);
});
