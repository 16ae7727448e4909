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
import type { AccessToken } from '../delivery/access-token.js';
import type { SigningKey } from '../delivery/signing.js';
import type { EncodableMediaType } from '../encoders/default-encoder.js';
import type { Encoder } from '../encoders/encoder.js';

type ContractAnswers = typeof answerValues;

/** The answers of the contract. As an interface, because editors show an interface by its name alone. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an alias would be shown with all answers
export interface GivenAnswers extends ContractAnswers {}

/** What every plant is: anything, until the question plant-fields is answered. */
export type PlantOf<Given extends AnswerValues> = SchemaOf<Given, 'plant-fields', unknown>;

type ContractPlant = PlantOf<GivenAnswers>;

/** A plant under the answers of the contract, by a name that editors show. A union is not all that it says. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an alias would be shown with all fields
interface AnsweredPlant extends Pick<ContractPlant, keyof ContractPlant> {}

/** What every plant is under the answers of the contract: `AnsweredPlant`, if that says it all. */
export type AnyPlant = [ContractPlant, AnsweredPlant] extends [AnsweredPlant, ContractPlant]
  ? AnsweredPlant
  : ContractPlant;

/** The options that answers decide, and the access token. `undefined` is a fault at run time that names the option. */
interface DecidedOptions<Plant, Event extends readonly unknown[]> {
  /**
   * The address to which the delivery path is appended (questions base-address, delivery-target): an absolute http or
   * https URL without user information, query and fragment. Plain http is only for loopback; see
   * `allowInsecureTransport`.
   */
  readonly baseUrl: string | URL | undefined;
  /** The HTTP method of a delivery: `POST`, `PUT` or `PATCH` (question http-method). */
  readonly method: ContentMethod;
  /**
   * Turns a plant into what is sent (questions payload, media-type). Once event-payload-fields is answered, its second
   * argument is the event.
   */
  readonly encode: Encoder<Plant, Event>;
  /** The bearer token, or a function that returns one for each attempt (questions token-issuance, token-lifetime). */
  readonly accessToken: AccessToken | undefined;
}

/** The questions that decide an option. An option without one is always required. */
interface DecidedBy {
  readonly baseUrl: 'base-address';
  readonly method: 'http-method';
  readonly encode: 'media-type' | 'payload';
}

/** The options that are required while some questions are open. A message of the compiler shows which these are. */
type OptionsWhileOpen<Questions extends string, Options> = {
  readonly [
    Name in keyof Options as Name extends keyof DecidedBy
      ? Extract<DecidedBy[Name], Questions> extends never
        ? never
        : Name
      : Name
  ]: Options[Name];
};

/** The questions that decide an option, and whose answers don't. */
type OpenQuestion<Given extends AnswerValues> =
  | Exclude<DecidedBy[keyof DecidedBy], keyof Given>
  | (Given extends { readonly 'media-type': infer Type extends string }
      ? Exclude<'media-type', EncodableMediaType<Type> extends never ? never : 'media-type'>
      : never);

/**
 * The options of a sender that depend on the answers. The compiler would show a union that has a name by that name, and
 * not the questions: hence the template.
 */
export type AnsweredOptions<Plant, Given extends AnswerValues> = OptionsWhileOpen<
  `${OpenQuestion<Given>}`,
  DecidedOptions<Plant, EventArguments<Given>> & SigningOption<Given>
> &
  OptionalOptions<Plant, EventArguments<Given>>;

/** The options of open questions are among these, too: an option is required if one of two types requires it. */
type OptionalOptions<Plant, Event extends readonly unknown[]> = {
  readonly [Name in keyof DecidedBy]?: DecidedOptions<Plant, Event>[Name] | undefined;
};

type SigningOption<Given extends AnswerValues> = Given extends { readonly signing: unknown }
  ? SigningKeyOption
  : unknown;

/** The option with the key of the signatures, once the question signing is answered. */
export interface SigningKeyOption {
  /**
   * The key that signs deliveries, in the form that the answer to the question signing defines. A function is called for
   * each attempt, so that a key can be replaced while the sender runs.
   */
  readonly signingKey: SigningKey | undefined;
}

/** The options of `send` that depend on the answers. */
export type EventOptions<Given extends AnswerValues> = (Given extends {
  readonly 'event-payload-fields': AnswerSchema;
}
  ? EventOption<SchemaOf<Given, 'event-payload-fields', never>>
  : unknown) &
  (Given extends { readonly 'event-identity': { readonly header: string } } ? EventIdOption : unknown);

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

type EventArguments<Given extends AnswerValues> = Given extends {
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

/** The answered status of an acknowledgement. */
export type AcknowledgedStatus<Given extends AnswerValues> = Given extends {
  readonly 'receiver-response': { readonly status: infer Status };
}
  ? { readonly status: Status }
  : unknown;
