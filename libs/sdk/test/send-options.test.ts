import type { NewPlantSenderOptions, SendOptions } from '../src/index.js';
import { createSenderUnder } from '../src/new-plant-sender.js';
import { InvalidOptionsError } from '../src/index.js';
import { acknowledge, startRawServer } from './support/raw-server.js';
import { accessToken, arbitrary, type Open, openTestSender, rejection } from './support/senders.js';

const cause = new Error('arbitrary');
const throwing = (): never => {
  throw cause;
};

/** The error of a delivery with these options. */
async function refusal(options: unknown, retry?: NewPlantSenderOptions<string, Open>['retry']) {
  const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9', ...(retry && { retry }) });
  const error = await rejection(sender.send(arbitrary, options as SendOptions<Open>));
  await sender.close();
  expect(error).toMatchObject({ code: 'PLANT_STORE_INVALID_OPTIONS', outcome: 'not-sent' });
  return error as InvalidOptionsError;
}

describe('the options of send', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['a number', 1],
    ['text', 'text'],
    ['a promise', Promise.resolve({})],
  ])('must not be %s', async (_, options) => {
    expect((await refusal(options)).faults).toMatchObject([{ option: 'options' }]);
  });

  test('must not be a promise that rejects; the process goes on', async () => {
    expect((await refusal(Promise.reject(cause))).faults).toMatchObject([{ option: 'options' }]);
  });

  test('must have no unknown names: all of them are listed', async () => {
    const { faults } = await refusal({ sginal: undefined, timeout: 1, signal: undefined });

    expect(faults).toEqual([
      { option: 'sginal', problem: 'is not an option of `send`. Did you mean `signal`?' },
      { option: 'timeout', problem: 'is not an option of `send`.' },
    ]);
  });

  test('are refused in the same way with a retry policy', async () => {
    const retry = { delays: [1], statuses: 'all', withoutResponse: true } as const;

    expect((await refusal({ timeout: 1 }, retry)).faults).toMatchObject([{ option: 'timeout' }]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['text', 'none'],
    ['a controller', new AbortController()],
    ['an object', { aborted: false }],
  ])('signal must not be %s', async (_, signal) => {
    expect((await refusal({ signal })).faults).toEqual([
      { option: 'signal', problem: 'must be an AbortSignal.' },
    ]);
  });

  test.each(['signal', 'headers', 'event', 'eventId'])(
    'a getter of %s that throws has a code',
    async (name) => {
      const options = Object.defineProperty({}, name, { get: throwing, enumerable: true });

      expect(await refusal(options)).toMatchObject({ faults: [{ option: name }], cause });
    },
  );

  test('are each read once', async () => {
    const server = await startRawServer(acknowledge);
    const read: string[] = [];
    const options = new Proxy(
      {},
      {
        get: (_, name) => {
          read.push(String(name));
          return undefined;
        },
      },
    );

    await openTestSender({ baseUrl: server.url }).send(arbitrary, options);

    expect(read.filter((name) => name !== 'then').toSorted()).toEqual([
      'event',
      'eventId',
      'headers',
      'signal',
    ]);
  });

  test('may name an event that no answer asks for', async () => {
    const server = await startRawServer(acknowledge);
    const options = { eventId: '1', event: {} } as SendOptions<Open>;

    expect(await openTestSender({ baseUrl: server.url }).send(arbitrary, options)).toMatchObject({
      status: 204,
    });
  });
});

describe('the options of a sender', () => {
  const right = {
    baseUrl: 'http://127.0.0.1:9',
    accessToken,
    method: 'POST',
    encode: () => ({ content: 'x' }),
  };

  function errorOf(options: unknown): unknown {
    try {
      return createSenderUnder({}, options as never);
    } catch (error) {
      return error;
    }
  }

  test.each([null, 1, 'text', Promise.resolve(right)])('must not be %p', (options) => {
    expect(errorOf(options)).toBeInstanceOf(InvalidOptionsError);
  });

  test.each(Object.keys(right))('a getter of %s that throws has a code', (name) => {
    const options = Object.defineProperty({ ...right }, name, { get: throwing });

    expect(errorOf(options)).toMatchObject({
      code: 'PLANT_STORE_INVALID_OPTIONS',
      faults: [{ option: name }],
      cause,
    });
  });

  test('a getter of a retry policy that throws has a code', () => {
    const retry = Object.defineProperty({}, 'delays', { get: throwing });

    expect(errorOf({ ...right, retry })).toMatchObject({ code: 'PLANT_STORE_INVALID_OPTIONS', cause });
  });
});
