/**
 * What each answer changes in the types of a sender: the questions whose `shows` in the register has 'types'. What an
 * answer changes at run time is in `settingsTable`.
 */
import type {
  AnswerSchema,
  AnswerValues,
  answerValues,
  ContentMethod,
  SchemaInput,
} from '@plant-store/contract';
import type { SigningKey } from '../delivery/signing.js';
import type { EncodableMediaType } from '../encoders/default-encoder.js';
import type { Encoder } from '../encoders/encoder.js';

/** The answers of the contract. */
export type GivenAnswers = typeof answerValues;

/** What every plant is under some answers: anything, until the question plant-fields is answered. */
export type PlantOf<Given extends AnswerValues> = SchemaOf<Given, 'plant-fields', unknown>;

type ContractPlant = PlantOf<GivenAnswers>;

/** A plant under the answers of the contract, by a name that editors show. It can't say all that a union does. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an alias would be shown with all fields
interface AnsweredPlant extends Pick<ContractPlant, keyof ContractPlant> {}

/** What every plant is: `AnsweredPlant`, if that says it all. */
export type AnyPlant = [ContractPlant, AnsweredPlant] extends [AnsweredPlant, ContractPlant]
  ? AnsweredPlant
  : ContractPlant;

/** The options that answers decide. */
interface DecidableOptions<Plant, Event extends readonly unknown[]> {
  /**
   * The address to which the delivery path is appended (questions base-address, delivery-target): an absolute http or
   * https URL without user information, query and fragment. Plain http is only for loopback; see
   * `allowInsecureTransport`.
   */
  readonly baseUrl?: string | URL | undefined;
  /** The HTTP method of a delivery: `POST`, `PUT` or `PATCH` (question http-method). */
  readonly method?: ContentMethod | undefined;
  /**
   * Turns a plant into what is sent (questions payload, media-type). Once event-payload-fields is answered, its second
   * argument is the event.
   */
  readonly encode?: Encoder<Plant, Event> | undefined;
}

/** The option with the key of the signatures, once the question signing is answered. */
export interface SigningKeyOption {
  /**
   * The key that signs deliveries, in the form that the answer to the question signing defines. A function is called for
   * each attempt, so that a key can be replaced while the sender runs.
   */
  readonly signingKey: SigningKey | undefined;
}

/** The names of the options that are required, because their questions are open. */
type RequiredNames<Given extends AnswerValues> =
  | (Given extends { readonly 'base-address': unknown } ? never : 'baseUrl')
  | (Given extends { readonly 'http-method': unknown } ? never : 'method')
  | (Given extends { readonly 'media-type': infer Type extends string; readonly payload: unknown }
      ? EncodableMediaType<Type> extends never
        ? 'encode'
        : never
      : 'encode');

/** The same while their questions are open. That the environment has no `baseUrl` is a fault at run time. */
interface RequiredOptions<Plant, Event extends readonly unknown[]> {
  readonly baseUrl: string | URL | undefined;
  readonly method: ContentMethod;
  readonly encode: Encoder<Plant, Event>;
}

/** The options of a sender that depend on the answers. An option is required if one of the types requires it. */
export type AnsweredOptions<Plant, Given extends AnswerValues> = DecidableOptions<
  Plant,
  EventArguments<Given>
> &
  Pick<RequiredOptions<Plant, EventArguments<Given>>, RequiredNames<Given>> &
  (Given extends { readonly signing: unknown } ? SigningKeyOption : Nothing);

/** No members. An interface can't extend `unknown`. */
type Nothing = Record<never, never>;

/** The options of `send` that depend on the answers. */
export type EventOptions<Given extends AnswerValues> = (Given extends {
  readonly 'event-payload-fields': AnswerSchema;
}
  ? EventOption<SchemaOf<Given, 'event-payload-fields', never>>
  : Nothing) &
  (Given extends { readonly 'event-identity': { readonly header: string } } ? EventIdOption : Nothing);

interface EventOption<Event> {
  /** The fields of the event besides those of the plant (question event-payload-fields). */
  readonly event: Event;
}

interface EventIdOption {
  /**
   * The identifier of the event (question event-identity): printable ASCII without a space at the start or the end. Pass
   * the same identifier whenever you send the same event.
   */
  readonly eventId: string;
}

/** What `encode` gets beside the plant. */
export type EventArguments<Given extends AnswerValues> = Given extends {
  readonly 'event-payload-fields': AnswerSchema;
}
  ? [event: SchemaOf<Given, 'event-payload-fields', never>]
  : [];

/** The type of an answered schema. */
type SchemaOf<Given extends AnswerValues, Id extends keyof AnswerValues, Otherwise> = Given extends {
  readonly [Question in Id]: infer Schema extends AnswerSchema;
}
  ? SchemaInput<Schema>
  : Otherwise;

/** The status of a response that acknowledges a delivery: the answered one, if there is one. */
export type AcknowledgedStatus<Given extends AnswerValues> = Given extends {
  readonly 'receiver-response': { readonly status: infer Status };
}
  ? Status
  : number;
