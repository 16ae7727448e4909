/** Compile-only: which options the compiler demands, with everything open and with example answers. */
import type { ContentMethod, ShownOn } from '@plant-store/contract';
import { exampleAnswers } from '@plant-store/example-answers';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { AcknowledgedStatus } from '../src/answers/answered-types.js';
import { bytes, type CloseOptions, type Encoder, json, type RetryOptions } from '../src/index.js';
import type { ListOptions, RelayOptions } from '../src/outbox/index.js';
import type { EnqueueOptionsUnder } from '../src/outbox/outbox-under.js';
import type { RetryOptionUnder } from '../src/outbox/relay-options.js';
import { createSenderUnder, type SenderOptionsUnder, type SendOptionsUnder } from '../src/sender-under.js';
import { type Open as Nothing } from './support/senders.js';

interface Arbitrary {
  readonly arbitrary: boolean;
}
interface ExamplePlant {
  readonly name: string;
}
type Open = SenderOptionsUnder<Arbitrary, Nothing>;
type Everything = typeof exampleAnswers;
type Answered = SenderOptionsUnder<ExamplePlant, Everything>;

const accessToken = 'token';
const baseUrl = 'https://example.test';
const method: ContentMethod = 'POST';
const encode: Encoder<Arbitrary> = json;
const signingKey = 'whsec_AAAA';

// With everything open.
export const complete: Open = { accessToken, baseUrl, method, encode };
// @ts-expect-error accessToken is always required
export const withoutToken: Open = { baseUrl, method, encode };
// What the environment may lack is a fault at the start.
export const ofEnvironment: Open = {
  baseUrl: process.env['A'],
  accessToken: process.env['B'],
  method,
  encode,
};
// @ts-expect-error a decision isn't left out by accident
export const withUndefined: Open = { ...complete, method: undefined };
// Every optional option may be undefined.
type Optional<Options> = keyof {
  [Name in keyof Options as Record<never, never> extends Pick<Options, Name> ? Name : never]: true;
};
type AsUndefined<Options> = { readonly [Name in Optional<Options>]: undefined };
export type OptionsOfEveryKind<Kinds> = {
  [Kind in keyof Kinds]: AsUndefined<Kinds[Kind]> extends Partial<Kinds[Kind]> ? true : never;
};
export const undefinedIsLeftOut: OptionsOfEveryKind<{
  sender: Open;
  send: SendOptionsUnder<Nothing>;
  close: CloseOptions;
  retry: RetryOptions;
  relay: RelayOptions;
  list: ListOptions;
}> = { sender: true, send: true, close: true, retry: true, relay: true, list: true };
// @ts-expect-error GET carries no content
export const withGet: Open = { ...complete, method: 'GET' };
// @ts-expect-error a plant has the fields that the caller names, and no other
export const withField: Open = { ...complete, encode: (plant) => json(plant.name) };
// @ts-expect-error nothing is signed while signing is open
export const withSigningKey: Open = { ...complete, signingKey };
export const withoutPolicy: Open = { ...complete, retry: false };
// @ts-expect-error a policy says after which statuses an attempt is repeated
export const withoutStatuses: Open = { ...complete, retry: { delays: [1], withoutResponse: true } };
// @ts-expect-error a policy says whether an attempt is repeated without a response
export const withoutSwitch: Open = { ...complete, retry: { delays: [1], statuses: 'all' } };

// While everything is open.
// @ts-expect-error nothing identifies an event while event-identity is open
export const sendWithEventId: SendOptionsUnder<Nothing> = { eventId: '1' };
// @ts-expect-error an event has no fields while event-payload-fields is open
export const sendWithEvent: SendOptionsUnder<Nothing> = { event: {} };
export const sendWithHeaders: SendOptionsUnder<Nothing> = { headers: new Headers({ name: 'value' }) };
export const anyStatus: AcknowledgedStatus<Nothing> = 299;

export async function whileOpen(): Promise<number> {
  // @ts-expect-error a token is required, whatever is answered
  createSenderUnder<Nothing, Arbitrary>({ baseUrl, method, encode }, { answers: {} });
  const sender = createSenderUnder<Nothing, Arbitrary>(
    { accessToken, baseUrl, method, encode },
    { answers: {} },
  );
  // @ts-expect-error a sender takes the plants that it was made for
  await sender.send({ other: 1 });
  const { status } = await sender.send({ arbitrary: true }, { signal: new AbortController().signal });
  return status;
}

export const withFunction: Open = {
  ...complete,
  headers: async ({ attempt }) => [['attempt', String(attempt)]],
  retry: {
    delays: ({ attempt, outcome }) => (outcome === 'unknown' ? undefined : attempt),
    statuses: [503],
    withoutResponse: true,
    jitter: 0.5,
    maxRetryAfter: 1,
  },
};

export function inferred(): void {
  const sender = createSenderUnder({ accessToken, baseUrl, method, encode }, { answers: {} });
  // @ts-expect-error the plant's type comes from encode
  void sender.send('text');
}

// With an answer to each question.
export const answered: Answered = { accessToken, signingKey };
export const answeredButGiven: Answered = {
  ...answered,
  baseUrl,
  method,
  encode: (plant, event) => json({ name: plant.name, on: event.addedOn }),
  retry: false,
};
// @ts-expect-error an answered scheme needs its key
export const answeredWithoutKey: Answered = { accessToken };
// @ts-expect-error only `false` switches an answered policy off
export const answeredWithoutRetry: Answered = { ...answered, retry: true };
export const sendAnswered: SendOptionsUnder<Everything> = { eventId: '1', event: { addedOn: '2026-01-31' } };
// @ts-expect-error eventId is required once event-identity names a header
export const sendWithoutEventId: SendOptionsUnder<Everything> = { event: { addedOn: '2026-01-31' } };
// @ts-expect-error event is required once event-payload-fields is answered
export const sendWithoutEvent: SendOptionsUnder<Everything> = { eventId: '1' };
// @ts-expect-error the event has the fields of its schema
export const sendOtherEvent: SendOptionsUnder<Everything> = { eventId: '1', event: { on: '2026-01-31' } };
// @ts-expect-error only the answered status is an acknowledgement
export const otherStatus: AcknowledgedStatus<Everything> = 204;

export async function onceAnswered(): Promise<200> {
  const sender = createSenderUnder({ accessToken, signingKey }, { answers: exampleAnswers });
  // @ts-expect-error the plant has the fields of its schema
  await sender.send({ height: 1 }, sendAnswered);
  // @ts-expect-error its fields have their types
  await sender.send({ name: 1 }, sendAnswered);
  // @ts-expect-error the options of a delivery are required
  await sender.send({ name: 'example' });
  const { status } = await sender.send({ name: 'example', heightInCentimetres: 1 }, sendAnswered);
  return status;
}

export function encodedOtherwise(): void {
  createSenderUnder({ accessToken, signingKey, encode: json }, { answers: exampleAnswers });
  // @ts-expect-error an encoder takes what the schema of the plant takes
  createSenderUnder({ accessToken, signingKey, encode }, { answers: exampleAnswers });
  // @ts-expect-error bytes are not plants of the schema
  createSenderUnder({ accessToken, signingKey, encode: bytes() }, { answers: exampleAnswers });
  // @ts-expect-error plants without the fields of the schema
  createSenderUnder<Everything, { colour: string }>({ accessToken, signingKey }, { answers: exampleAnswers });
}

// With a schema of another library.
const valibotPlant = toStandardJsonSchema(v.object({ species: v.string(), height: v.optional(v.number()) }));
const valibotEvent = toStandardJsonSchema(v.object({ addedBy: v.string() }));
const valibotAnswers = { 'plant-fields': valibotPlant, 'event-payload-fields': valibotEvent };

export async function withValibot(): Promise<void> {
  const sender = createSenderUnder(
    { accessToken, baseUrl, method, encode: json },
    { answers: valibotAnswers },
  );
  await sender.send({ species: 'example', height: 1 }, { event: { addedBy: 'example' } });
  // @ts-expect-error the plant has the fields of its schema
  await sender.send({ species: 1 }, { event: { addedBy: 'example' } });
  // @ts-expect-error the event has the fields of its schema
  await sender.send({ species: 'example' }, { event: { addedBy: 1 } });
}

// With some answers.
interface JsonOnly {
  readonly 'media-type': 'application/json';
}
interface JsonPlant extends JsonOnly {
  readonly payload: 'plant';
}
interface OtherPlant {
  readonly 'media-type': 'application/example';
  readonly payload: 'plant';
}
export const jsonPlant: SenderOptionsUnder<Arbitrary, JsonPlant> = { accessToken, baseUrl, method };
export const likeJsonPlant: SenderOptionsUnder<
  Arbitrary,
  {
    readonly 'media-type': 'application/vnd.example+json';
    readonly payload: { readonly plantField: 'plant' };
  }
> = { accessToken, baseUrl, method };
export const capitalPlant: SenderOptionsUnder<
  Arbitrary,
  { readonly 'media-type': 'Application/JSON'; readonly payload: 'plant' }
> = { accessToken, baseUrl, method };
// @ts-expect-error a media type does not say what the payload is
export const jsonOnly: SenderOptionsUnder<Arbitrary, JsonOnly> = { accessToken, baseUrl, method };
// @ts-expect-error the package has no encoder for this media type
export const otherPlant: SenderOptionsUnder<Arbitrary, OtherPlant> = { accessToken, baseUrl, method };
// An identifier in the content is the caller's: `send` asks for none.
export const pointer: SendOptionsUnder<{ readonly 'event-identity': { readonly pointer: '/id' } }> = {};

// Each answer that changes the types, according to the register, and where.
export const shown: Readonly<Record<ShownOn<'types'>, 'option' | 'send' | 'plant' | 'status'>> = {
  'base-address': 'option',
  'event-identity': 'send',
  'event-payload-fields': 'send',
  'http-method': 'option',
  'media-type': 'option',
  payload: 'option',
  'plant-fields': 'plant',
  'receiver-response': 'status',
  signing: 'option',
};
// @ts-expect-error baseUrl has no default while its question is open
export const withoutBaseUrl: SenderOptionsUnder<ExamplePlant, Omit<Everything, 'base-address'>> = answered;
// @ts-expect-error nor has the method
export const withoutMethod: SenderOptionsUnder<ExamplePlant, Omit<Everything, 'http-method'>> = answered;
// @ts-expect-error nor has encode, without a media type
export const withoutType: SenderOptionsUnder<ExamplePlant, Omit<Everything, 'media-type'>> = answered;
// @ts-expect-error nor without a payload
export const withoutPayload: SenderOptionsUnder<ExamplePlant, Omit<Everything, 'payload'>> = answered;

// What an outbox keeps.
export const noEnqueueOptions: EnqueueOptionsUnder<Nothing> = {};
export const ofOneEvent: EnqueueOptionsUnder<{ 'event-identity': { header: 'example-id' } }> = {
  eventId: 'one',
};
// @ts-expect-error a relay makes the header fields when it sends
export const enqueuedHeaders: EnqueueOptionsUnder<Nothing> = { headers: {} };
// @ts-expect-error there is no such option
export const unknownEnqueueOption: EnqueueOptionsUnder<Nothing> = { eventid: 'one' };

// What a relay decides.
export const withoutRelayPolicy: RetryOptionUnder<Nothing> = { retry: false };
// @ts-expect-error retry has no default while its question is open
export const relayWithoutRetry: RetryOptionUnder<Nothing> = {};
export const relayWithAnswer: RetryOptionUnder<Everything> = {};
