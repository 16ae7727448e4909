import type { NewPlantSender, PlantStoreError, SendAllOptions, SendResult } from '../src/index.js';
import { acknowledge, fieldsOf, inTurn, type RawRequest, respond, staySilent } from './support/raw-server.js';
import { arbitrary, type Open, openTestSender, rejection, openBoth } from './support/senders.js';

type Plant = string | Uint8Array;
type Result = SendResult<Plant, Open>;
type Options = SendAllOptions<Plant, Open>;

const reason = new Error('the reason of the caller');

/** The results of an iteration, and the error that ended it. */
async function readAll(iteration: AsyncIterable<Result>): Promise<{ results: Result[]; error: unknown }> {
  const results: Result[] = [];
  try {
    for await (const result of iteration) results.push(result);
  } catch (error) {
    return { results, error };
  }
  return { results, error: undefined };
}

/** Counts the plants that were taken from it, and knows whether it was ended. */
class Source implements Iterable<string> {
  taken = 0;
  ended = false;

  constructor(readonly count: number = Infinity) {}

  *[Symbol.iterator](): Generator<string> {
    try {
      while (this.taken < this.count) {
        this.taken += 1;
        yield `plant ${this.taken - 1}`;
      }
    } finally {
      this.ended = true;
    }
  }

  async *asynchronous(): AsyncGenerator<string> {
    yield* this;
  }
}

/** Responds with 503 to every third plant, and acknowledges the others. */
function refuseEveryThird(request: RawRequest): void {
  const index = Number(/\d+/.exec(request.content.toString())![0]);
  if (index % 3 !== 2) return acknowledge(request);
  respond(503)(request);
}

function codesOf(results: readonly Result[]): (string | undefined)[] {
  return results.map(({ error }) => error?.code);
}

describe.each([
  ['an iterable', (source: Source) => source],
  ['an asynchronous iterable', (source: Source) => source.asynchronous()],
])('sendAll of %s', (_, plantsOf) => {
  test('yields the result of every plant, and a failed plant does not stop the others', async () => {
    const { server, sender } = await openBoth(refuseEveryThird, { maxConnections: 4 });

    const { results, error } = await readAll(sender.sendAll(plantsOf(new Source(30))));

    expect(error).toBeUndefined();
    const inOrder = results.toSorted((one, other) => one.index - other.index);
    expect(inOrder).toHaveLength(30);
    for (const [index, result] of inOrder.entries()) {
      expect(result).toMatchObject({ index, plant: `plant ${index}` });
      if (index % 3 === 2) expect(result.error).toMatchObject({ outcome: 'responded', status: 503 });
      else expect(result.response?.status).toBe(204);
    }
    expect(server.requests).toHaveLength(30);
  });

  test.each<[Options, number]>([
    [{}, 3],
    [{ concurrency: 1 }, 1],
    [{ concurrency: 5 }, 5],
  ])('with %j takes no plant while %d are in flight', async (options, expected) => {
    const { server, sender } = await openBoth(staySilent, { maxConnections: 3 });
    const source = new Source();

    const iteration = sender.sendAll(plantsOf(source), options);
    const first = iteration.next();
    acknowledge(await server.request(0));
    await first;
    await server.request(Math.min(expected, 3));

    // One was acknowledged.
    expect(source.taken).toBe(expected + 1);
    await sender.close({ force: true });
  });

  test('takes no plant while results are not read', async () => {
    const { server, sender } = await openBoth(acknowledge);
    const source = new Source();

    const iteration = sender.sendAll(plantsOf(source), { concurrency: 5 });
    expect(source.taken).toBe(0);
    await iteration.next();
    // Nothing is in flight any more, and the results wait.
    await sender.close();

    expect(server.requests).toHaveLength(6);
    expect(source.taken).toBe(6);
  });

  test('ends the iterable and waits for the deliveries in flight when the loop is left', async () => {
    const { server, sender } = await openBoth(inTurn(acknowledge, staySilent));
    const source = new Source();
    const order: string[] = [];

    const left = (async () => {
      for await (const { index } of sender.sendAll(plantsOf(source), { concurrency: 2 })) {
        order.push(`read ${index}`);
        break;
      }
      order.push('left');
    })();
    for (const index of [1, 2]) {
      const request = await server.request(index);
      order.push(`acknowledged ${index}`);
      acknowledge(request);
    }
    await left;

    expect(order.at(-1)).toBe('left');
    expect(order).toContain('acknowledged 2');
    expect(source).toMatchObject({ taken: 3, ended: true });
  });

  test('ends with the signal, after the results of the deliveries in flight', async () => {
    const { server, sender } = await openBoth(inTurn(acknowledge, staySilent));
    const source = new Source();
    const controller = new AbortController();

    const read = readAll(sender.sendAll(plantsOf(source), { concurrency: 2, signal: controller.signal }));
    await server.request(2);
    controller.abort(reason);

    const { results, error } = await read;
    expect(codesOf(results)).toEqual([undefined, 'PLANT_STORE_ABORTED', 'PLANT_STORE_ABORTED']);
    expect(results.map((result) => result.error?.outcome)).toEqual([undefined, 'unknown', 'unknown']);
    expect(error).toMatchObject({ code: 'PLANT_STORE_ABORTED', outcome: 'not-sent', cause: reason });
    expect(source).toMatchObject({ taken: 3, ended: true });
  });

  test('with a signal that is already aborted takes nothing', async () => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' });
    const source = new Source();

    const iteration = sender.sendAll(plantsOf(source), { signal: AbortSignal.abort(reason) });

    expect(await readAll(iteration)).toMatchObject({ results: [], error: { code: 'PLANT_STORE_ABORTED' } });
    expect(source.taken).toBe(0);
  });

  test('ends when the sender is closed, after the results of the deliveries in flight', async () => {
    const { server, sender } = await openBoth(inTurn(acknowledge, staySilent));
    const source = new Source();

    const read = readAll(sender.sendAll(plantsOf(source), { concurrency: 2 }));
    const inFlight = [await server.request(1), await server.request(2)];
    const closed = sender.close();
    inFlight.forEach(acknowledge);
    await closed;

    const { results, error } = await read;
    expect(codesOf(results)).toEqual([undefined, undefined, undefined]);
    expect(error).toMatchObject({ code: 'PLANT_STORE_SENDER_CLOSED', outcome: 'not-sent' });
    expect(source).toMatchObject({ taken: 3, ended: true });
  });
});

describe('an iterable of promises', () => {
  test('is sent as the plants that they resolve to', async () => {
    const { server, sender } = await openBoth(acknowledge, { maxConnections: 1 });
    const promises = [...new Source(3)].map(async (plant) => plant);

    const { results, error } = await readAll(sender.sendAll(promises));

    expect(error).toBeUndefined();
    expect(results).toMatchObject([0, 1, 2].map((index) => ({ index, plant: `plant ${index}` })));
    expect(server.requests.map(({ content }) => content.toString())).toEqual([...new Source(3)]);
  });

  test('fails with the first one that rejects, and is ended', async () => {
    const { sender } = await openBoth(acknowledge);
    let isEnded = false;
    function* rejecting(): Generator<Promise<string>> {
      try {
        yield Promise.resolve(arbitrary);
        yield Promise.reject(reason);
      } finally {
        isEnded = true;
      }
    }

    const { results, error } = await readAll(sender.sendAll(rejecting()));

    expect(codesOf(results)).toEqual([undefined]);
    expect(error).toMatchObject({ code: 'PLANT_STORE_ITERABLE_FAILED', outcome: 'not-sent', cause: reason });
    expect(isEnded).toBe(true);
  });
});

test('an iteration that waits for its iterable ends when the sender is closed', async () => {
  const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' });
  const idle = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };

  const read = Array.from({ length: 11 }, () => readAll(sender.sendAll(idle)));
  await sender.close();

  for (const { error } of await Promise.all(read)) {
    expect(error).toMatchObject({ code: 'PLANT_STORE_SENDER_CLOSED' });
  }
});

describe('an iterable that fails', () => {
  const cause = new Error('arbitrary');

  function* throwing(): Generator<string> {
    yield 'plant 0';
    yield 'plant 1';
    throw cause;
  }

  async function* throwingLater(): AsyncGenerator<string> {
    yield* throwing();
  }

  const badStep = (step: unknown) => ({ [Symbol.iterator]: () => ({ next: () => step }) }) as never;

  test.each([
    ['by throwing', throwing],
    ['by rejecting', throwingLater],
  ])('%s: the plants before it have their results, then the iteration fails', async (_, plants) => {
    const { sender } = await openBoth(acknowledge);

    const { results, error } = await readAll(sender.sendAll(plants()));

    expect(results.map(({ response }) => response?.status)).toEqual([204, 204]);
    expect(error).toMatchObject({ code: 'PLANT_STORE_ITERABLE_FAILED', outcome: 'not-sent', cause });
  });

  test.each<[string, Iterable<string>]>([
    ['gives undefined instead of a step', badStep(undefined)],
    ['gives a number instead of a step', badStep(1)],
    [
      'gives a value that throws',
      badStep({
        done: false,
        get value(): string {
          throw cause;
        },
      }),
    ],
    [
      'has no iterator',
      {
        [Symbol.iterator]: () => {
          throw cause;
        },
      },
    ],
  ])('because it %s', async (_, plants) => {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' });

    expect(await readAll(sender.sendAll(plants))).toMatchObject({
      results: [],
      error: { code: 'PLANT_STORE_ITERABLE_FAILED' },
    });
  });

  test('the signal ends the wait for its next plant', async () => {
    const { sender } = await openBoth(acknowledge);
    const controller = new AbortController();
    async function* stuck(): AsyncGenerator<string> {
      yield arbitrary;
      await new Promise(() => {});
    }

    const iteration = sender.sendAll(stuck(), { signal: controller.signal });
    expect(await iteration.next()).toMatchObject({ value: { index: 0, response: { status: 204 } } });
    const next = iteration.next();
    controller.abort(reason);

    expect(await rejection(next)).toMatchObject({ code: 'PLANT_STORE_ABORTED' });
  });
});

describe('optionsOf', () => {
  test('gives each plant its options', async () => {
    const { server, sender } = await openBoth(acknowledge, { maxConnections: 1 });
    const seen: unknown[] = [];

    const iteration = sender.sendAll(new Source(2), {
      optionsOf: (plant, index) => {
        seen.push([plant, index]);
        return { headers: { 'x-number': String(index) } };
      },
    });
    expect(await readAll(iteration)).toMatchObject({ error: undefined });

    expect(seen).toEqual([
      ['plant 0', 0],
      ['plant 1', 1],
    ]);
    expect(server.requests.map((request) => fieldsOf(request)['x-number'])).toEqual(['0', '1']);
  });

  const cause = new Error('arbitrary');

  test.each<[string, () => unknown, object]>([
    [
      'throws',
      () => {
        throw cause;
      },
      { faults: [{ option: 'optionsOf' }], cause },
    ],
    ['returns nothing', () => undefined, { faults: [{ option: 'options' }] }],
    ['returns a promise', async () => ({}), { faults: [{ option: 'options' }] }],
    ['rejects', () => Promise.reject(cause), { faults: [{ option: 'options' }] }],
    ['returns a signal', () => ({ signal: undefined }), { faults: [{ option: 'signal' }] }],
  ])('that %s fails its plant, and not the others', async (_, fail, expected) => {
    const { sender } = await openBoth(acknowledge);

    const optionsOf = (_plant: unknown, index: number) => (index === 1 ? fail() : {}) as object;
    const { results, error } = await readAll(sender.sendAll(new Source(3), { optionsOf }));

    expect(error).toBeUndefined();
    expect(results.filter(({ response }) => response?.status === 204)).toHaveLength(2);
    const failed = results.find(({ index }) => index === 1)!;
    expect(failed.error).toMatchObject({ code: 'PLANT_STORE_INVALID_OPTIONS', outcome: 'not-sent' });
    expect(failed.error).toMatchObject(expected);
  });
});

describe('the arguments of sendAll', () => {
  function faultsOf(plants: unknown, options?: unknown): unknown {
    const sender = openTestSender({ baseUrl: 'http://127.0.0.1:9' }) as NewPlantSender<Plant>;
    try {
      sender.sendAll(plants as Iterable<Plant>, options as never);
    } catch (error) {
      return (error as PlantStoreError & { faults: unknown }).faults;
    }
    return undefined;
  }

  test.each([undefined, null, 1, 'text', {}, () => []])('plants must not be %p', (plants) => {
    expect(faultsOf(plants)).toMatchObject([{ option: 'plants' }]);
  });

  test.each<[string, unknown]>([
    ...[0, -1, 1.5, NaN, Infinity, '1', null].map((value): [string, unknown] => ['concurrency', value]),
    ['signal', null],
    ['signal', {}],
    ['optionsOf', {}],
    ['optionOf', () => ({})],
    ['headers', {}],
  ])('%s must not be %p', (option, value) => {
    expect(faultsOf([], { [option]: value })).toMatchObject([{ option }]);
  });

  test('are all checked at once', () => {
    expect(faultsOf(1, { concurrency: 0, optionsOf: 1 })).toMatchObject([
      { option: 'plants' },
      { option: 'concurrency' },
      { option: 'optionsOf' },
    ]);
  });
});
