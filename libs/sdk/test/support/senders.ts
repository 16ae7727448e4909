import type { AnswerValues } from '@plant-store/contract';
import { afterThisTest } from '@plant-store/test-support';
import type { PlantOf } from '../../src/answers/answered-types.js';
import { bytes, InvalidOptionsError, type OptionFault, PlantStoreError } from '../../src/index.js';
import { createSenderUnder, type SenderOptionsUnder, type SenderUnder } from '../../src/sender-under.js';
import { acknowledge, type RawRequest, type RawServer, startRawServer } from './raw-server.js';

/** Content that says nothing of what a plant looks like. */
export const arbitrary = 'arbitrary content';

/** A token that no other text in the tests contains. */
export const accessToken = 's3cret-t0ken';

/** Every question is open. */
export type Open = Readonly<Record<never, never>>;

type Options = SenderOptionsUnder<string | Uint8Array, Open>;

/** What everything open requires, but for the address. */
export const required = { accessToken, method: 'POST', encode: bytes() } as const;

/** A sender with every question open. It ends with the test. */
export function openTestSender(
  options: Pick<Options, 'baseUrl'> & Partial<Options>,
): SenderUnder<string | Uint8Array, Open> {
  return openSenderUnder<Open, string | Uint8Array>({}, { ...required, ...options });
}

/** A receiver, and a sender to it with every question open. They end with the test. */
export async function openBoth(
  handle: Parameters<typeof startRawServer>[0],
  options: Partial<Options> = {},
): Promise<{ server: RawServer; sender: SenderUnder<string | Uint8Array, Open> }> {
  const server = await startRawServer(handle);
  return { server, sender: openTestSender({ baseUrl: server.url, ...options }) };
}

/** A delivery as JavaScript may ask for it: whatever the types say. */
export interface Attempted {
  /** None by default. */
  readonly given?: AnswerValues;
  /** Of the sender, beside those that everything open requires. */
  readonly options?: object;
  readonly plant?: unknown;
  /** Of the delivery. */
  readonly sendOptions?: unknown;
}

/** Sends to a receiver that acknowledges everything, and then closes the sender. */
async function attempt(asked: Attempted, baseUrl: string): Promise<unknown> {
  const { given = {}, options, sendOptions } = asked;
  const all = { ...required, baseUrl, ...options } as unknown as SenderOptionsUnder<unknown, AnswerValues>;
  const sender = createSenderUnder<AnswerValues, unknown>(all, { answers: given });
  try {
    return await sender.send('plant' in asked ? asked.plant : arbitrary, sendOptions as never);
  } finally {
    await sender.close();
  }
}

/** The request of a delivery that is acknowledged. */
export async function arrived(asked: Attempted): Promise<RawRequest> {
  const server = await startRawServer(acknowledge);
  await attempt(asked, server.url);
  return server.request(0);
}

/** The error of a delivery that must fail before anything is sent. */
export async function unsent(asked: Attempted): Promise<PlantStoreError> {
  const server = await startRawServer(acknowledge);
  const error = await rejection(attempt(asked, server.url));
  expect(error.outcome).toBe('not-sent');
  expect(server.requests).toEqual([]);
  return error;
}

/** The faults of the options of a sender, whatever the types say; none if it can be created. */
export function faultsOf(options: unknown, given: AnswerValues = {}): readonly OptionFault[] {
  try {
    createSenderUnder(options as SenderOptionsUnder<unknown, AnswerValues>, { answers: given });
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.faults;
    throw error;
  }
  return [];
}

/** A sender under a set of answers. It ends with the test. */
export function openSenderUnder<
  const Given extends AnswerValues,
  Plant extends PlantOf<Given> = PlantOf<Given>,
>(given: Given, options: SenderOptionsUnder<Plant, Given>): SenderUnder<Plant, Given> {
  const sender = createSenderUnder<Given, Plant>(options, { answers: given });
  afterThisTest(() => sender.close());
  return sender;
}

/** The error of a promise that must reject with a `PlantStoreError`. */
export async function rejection(promise: Promise<unknown>): Promise<PlantStoreError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PlantStoreError) return error;
  throw new Error(`Expected a PlantStoreError, got ${String(error)}.`, { cause: error });
}
