import type {
  accepts,
  Answers,
  AnswerSchema,
  ContentMethod,
  OnceAnswered,
  RequiredWhileOpen,
  SchemaInput,
  ShownOn,
} from '@plant-store/contract';
import type { EncodableMediaType } from '../encoders/default-encoder.js';
import type { Encoder } from '../encoders/encoder.js';

/** Id of a question whose answer changes the types of a sender. The register says which: `shows` has 'types'. */
export type TypesQuestion = ShownOn<'types'>;

/** What an answer adds to the types of a sender. Each of them is the intersection of all rows. */
export interface OptionRow<Options = unknown, Send = unknown, Acknowledgement = unknown, AnyPlant = unknown> {
  /** Options of a sender. */
  readonly options: Options;
  /** Options of `send`. */
  readonly send: Send;
  readonly acknowledgement: Acknowledgement;
  /** What every plant is. */
  readonly plant: AnyPlant;
}

/**
 * What each answer changes in the types of a sender. What it changes at run time is in `settingsTable`.
 *
 * @typeParam Plant The type of the plants that a sender sends.
 * @typeParam Given The answers given so far.
 */
export interface OptionTable<Plant, Given extends Answers> {
  'base-address': OptionRow<RequiredWhileOpen<Given, 'base-address', BaseUrlOption>>;
  'event-identity': OptionRow<unknown, EventIdOption<Given>>;
  'event-payload-fields': OptionRow<unknown, EventOption<Given>>;
  'http-method': OptionRow<RequiredWhileOpen<Given, 'http-method', MethodOption>>;
  'media-type': OptionRow<EncodeWhileOpen<Plant, Given>>;
  payload: OptionRow<EncodeWhileOpen<Plant, Given>>;
  'plant-fields': OptionRow<unknown, unknown, unknown, AnsweredPlant<Given>>;
  'receiver-response': OptionRow<unknown, unknown, AnsweredStatus<Given>>;
  signing: OptionRow<OnceAnswered<Given, 'signing', SigningKeyOption>>;
}

/** The intersection of one column of a table. The table needs a row for each question that shows in the types. */
export type Column<
  Table extends { readonly [Id in TypesQuestion]: OptionRow },
  Name extends keyof OptionRow,
> = {
  [Id in TypesQuestion]: (cell: Table[Id][Name]) => void;
}[TypesQuestion] extends (cells: infer Cells) => void
  ? Cells
  : never;

/** What every plant is: anything, until the question plant-fields is answered. */
export type PlantOf<Given extends Answers> = Column<OptionTable<unknown, Given>, 'plant'>;

type AnsweredPlant<Given extends Answers> = Given extends {
  readonly 'plant-fields': infer Schema extends AnswerSchema;
}
  ? SchemaInput<Schema>
  : unknown;

interface BaseUrlOption {
  /**
   * The address to which the delivery path is appended (questions base-address, delivery-target): an absolute http or
   * https URL without user information, query and fragment. Plain http is only for loopback; see
   * `allowInsecureTransport`.
   */
  readonly baseUrl: string | URL;
}

interface MethodOption {
  /** The HTTP method of a delivery: `POST`, `PUT` or `PATCH` (question http-method). */
  readonly method: ContentMethod;
}

interface EncodeOption<Plant, Given extends Answers> {
  /**
   * Turns a plant into what is sent (questions payload, media-type). Once event-payload-fields is answered, its second
   * argument is the event.
   */
  readonly encode: Encoder<Plant, EventArguments<Given>>;
}

/** Optional once both the payload and a JSON media type are answered. */
type EncodeWhileOpen<Plant, Given extends Answers> = Given extends {
  readonly 'media-type': EncodableMediaType<Given['media-type'] & string>;
}
  ? RequiredWhileOpen<Given, 'payload', EncodeOption<Plant, Given>>
  : EncodeOption<Plant, Given>;

type EventArguments<Given extends Answers> = Given extends {
  readonly 'event-payload-fields': infer Schema extends AnswerSchema;
}
  ? [event: SchemaInput<Schema>]
  : [];

type EventOption<Given extends Answers> = Given extends {
  readonly 'event-payload-fields': infer Schema extends AnswerSchema;
}
  ? {
      /** The fields of the event besides those of the plant (question event-payload-fields). */
      readonly event: SchemaInput<Schema>;
    }
  : unknown;

type EventIdOption<Given extends Answers> = Given extends {
  readonly 'event-identity': { readonly header: string };
}
  ? {
      /**
       * The identifier of the event (question event-identity): printable ASCII without a space at the start or the
       * end. Pass the same identifier whenever you send the same event.
       */
      readonly eventId: string;
    }
  : unknown;

type AnsweredStatus<Given extends Answers, Accepted = typeof accepts> = Given extends {
  readonly 'receiver-response': { readonly status: infer Status };
}
  ? { readonly status: Status | AcceptedStatus<Accepted> }
  : unknown;

/** The statuses that are accepted beside the answer. */
type AcceptedStatus<Accepted> = Accepted extends {
  readonly 'receiver-response': { readonly also: readonly (infer Status)[] };
}
  ? Status
  : never;

/** The option with the key of the signatures, once the question signing is answered. */
export interface SigningKeyOption {
  /** The key that signs deliveries, in the form that the answer to the question signing defines. */
  readonly signingKey: string;
}
