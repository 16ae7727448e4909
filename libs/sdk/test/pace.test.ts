import type { Failure } from '@plant-store/contract';
import { NotAcknowledgedError, type Outcome, PlantStoreError } from '../src/index.js';
import { isCausedByContent, Pace } from '../src/outbox/pace.js';
import { useTimeThatPasses } from './support/clocks.js';

const failed = (code: string, outcome: Outcome = 'not-sent'): Error =>
  new PlantStoreError(`PLANT_STORE_${code}` as never, `${code} happened.`, { outcome });

const refused = (status: number, failure?: Failure): Error => {
  const response = { status, headers: {}, content: new Uint8Array(), truncated: false };
  return new NotAcknowledgedError(response, 'http://127.0.0.1', { failure });
};

const openPace = (concurrency = 64): Pace => new Pace(concurrency, () => {});

/** Attempts of as many entries fail, one after the other, and each began after the one before. */
function failMany(pace: Pace, error: Error, count: number): void {
  for (let id = 0; id < count; id += 1) pace.note(id, pace.phase, error);
}

test.each<[string, number, Error[]]>([
  [
    'at once, if no plant can cause it',
    1,
    ['CONNECT_FAILED', 'CONNECT_TIMEOUT', 'CONNECTION_LOST', 'ACCESS_TOKEN_FAILED', 'SIGNING_KEY_FAILED'].map(
      (code) => failed(code),
    ),
  ],
  [
    'from the fifth entry on, if one plant could cause it',
    5,
    [
      ...[302, 401, 403, 404, 405, 408, 409, 425, 429, 500, 502, 503, 504, 520].map((status) =>
        refused(status),
      ),
      ...[refused(400, 'credentials-malformed'), refused(400, 'token-invalid')],
      ...['HEADERS_FAILED', 'ATTEMPT_TIMEOUT', 'OF_A_LATER_VERSION'].map((code) => failed(code)),
      ...[Object.assign(failed('TOTAL_TIMEOUT'), { attempts: 1 }), new TypeError('arbitrary')],
      ...['CONNECTION_LOST', 'ATTEMPT_TIMEOUT', 'TOTAL_TIMEOUT'].map((code) => failed(code, 'unknown')),
    ],
  ],
  [
    'never, if the content is the reason, or the sender itself',
    Infinity,
    [
      ...[400, 413, 415, 422].map((status) => refused(status)),
      ...[refused(409, 'content-invalid'), refused(500, 'media-type-unsupported')],
      ...['INVALID_OPTIONS', 'ENCODE_FAILED', 'CONTENT_TOO_LARGE', 'SENDER_CLOSED'].map((code) =>
        failed(code),
      ),
      failed('ABORTED', 'unknown'),
      // It waited for the sender's own queue.
      Object.assign(failed('TOTAL_TIMEOUT'), { attempts: 0 }),
    ],
  ],
])('an endpoint fails %s', (_when, count, errors) => {
  const slowAfter = errors.map((error) => {
    const pace = openPace();
    let notes = 0;
    while (!pace.isSlow && notes < 10) pace.note((notes += 1), pace.phase, error);
    return [error.message, pace.isSlow ? notes : Infinity];
  });

  expect(slowAfter).toEqual(errors.map(({ message }) => [message, count]));
});

test('one entry does not make the others slow, however often it fails', () => {
  const pace = openPace();

  for (let attempt = 0; attempt < 20; attempt += 1) pace.note(1, pace.phase, refused(403));

  expect([pace.isSlow, pace.most, pace.beginAt]).toEqual([false, 64, 0]);
});

test('while the endpoint fails, half as many begin each time, down to one every few seconds', () => {
  const pass = useTimeThatPasses();
  const pace = openPace();
  const steps = Array.from({ length: 9 }, () => {
    failMany(pace, failed('CONNECT_FAILED'), 1);
    const wait = pace.beginAt - performance.now();
    pass(wait);
    return [pace.most, wait] as const;
  });

  expect(steps.map(([most]) => most)).toEqual([32, 16, 8, 4, 2, 1, 1, 1, 1]);
  const bounds = [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000];
  expect(steps.every(([, wait], index) => wait <= bounds[index]! && wait >= bounds[index]! / 2)).toBe(true);
});

test('the first success opens up again, and an attempt from before counts neither way', () => {
  const pace = openPace();
  const before = pace.phase;
  failMany(pace, refused(503), 5);
  const during = pace.phase;

  pace.note(6, before, undefined);
  pace.note(7, before, refused(503));
  expect([pace.isSlow, pace.most]).toEqual([true, 32]);
  pace.note(8, during, undefined);
  expect([pace.isSlow, pace.most, pace.beginAt]).toEqual([false, 64, 0]);
  for (const id of [9, 10, 11, 12, 13]) pace.note(id, during, refused(503));
  expect(pace.isSlow).toBe(false);
});

test('an attempt that hangs does not keep the next one from its beginning', () => {
  const pass = useTimeThatPasses();
  const pace = openPace(1);
  failMany(pace, failed('CONNECT_FAILED'), 1);
  pass(pace.beginAt - performance.now());

  pace.begin();

  const wait = pace.beginAt - performance.now();
  expect(wait > 0 && wait <= 250).toBe(true);
});

test.each<[boolean, Error]>([
  [true, refused(422)],
  [true, refused(418, 'content-invalid')],
  [true, failed('ENCODE_FAILED')],
  [false, refused(422, 'token-invalid')],
  [false, refused(409)],
  [false, failed('CONNECT_FAILED')],
  [false, new Error('arbitrary')],
])('whether the content is the reason is %p after $message', (expected, error) => {
  expect(isCausedByContent(error)).toBe(expected);
});
