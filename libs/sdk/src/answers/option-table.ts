import type {
  Answers,
  AnswerSchema,
  ContentMethod,
  ExecutableId,
  OnceAnswered,
  RequiredWhileOpen,
  RetryPolicy,
  SchemaInput,
} from '@plant-store/contract';
import type { EncodableMediaType } from '../encoders/default-encoder.js';
import type { Encoder } from '../encoders/encoder.js';

/** What an answer changes of the types: of the options of a sender, of those of `send`, and of an acknowledgement. */
export interface OptionRow<Options = unknown, Send = unknown, Acknowledgement = unknown> {
  readonly options: Options;
  readonly send: Send;
  readonly acknowledgement: Acknowledgement;
}

/** Of a question whose answer changes no type of a sender. */
type NotVisible = OptionRow;

/**
 * What each answer changes of the types of a sender. What it settles is in `settingsTable`.
 *
 * @typeParam Plant What a sender takes.
 * @typeParam Given The answers given so far.
 */
export interface OptionTable<Plant, Given extends Answers> {
  'authentication-realm': NotVisible;
  'base-address': OptionRow<RequiredWhileOpen<Given, 'base-address', BaseUrlOption>>;
  'error-codes': NotVisible;
  'error-payloads': NotVisible;
  'event-identity': OptionRow<unknown, EventIdOption<Given>>;
  'event-payload-fields': OptionRow<unknown, EventOption<Given>>;
  'http-method': OptionRow<RequiredWhileOpen<Given, 'http-method', MethodOption>>;
  'media-type': OptionRow<EncodeWhileOpen<Plant, Given>>;
  payload: OptionRow<EncodeWhileOpen<Plant, Given>>;
  /** See `PlantOf`: it limits `Plant`. */
  'plant-fields': NotVisible;
  'rate-limits': NotVisible;
  'receiver-response': OptionRow<unknown, unknown, AnsweredStatus<Given>>;
  'request-versioning': NotVisible;
  retry: OptionRow<RetryOption>;
  signing: OptionRow<OnceAnswered<Given, 'signing', SigningKeyOption>>;
  'size-limits': NotVisible;
  'status-codes': NotVisible;
  'time-outs': NotVisible;
  'token-format': NotVisible;
}

/** What all rows of a table say in one column. It takes a table with a row for every question that software carries out. */
export type Column<
  Table extends { readonly [Id in ExecutableId]: OptionRow },
  Name extends keyof OptionRow,
> = {
  [Id in ExecutableId]: (cell: Table[Id][Name]) => void;
}[ExecutableId] extends (cells: infer Cells) => void
  ? Cells
  : never;

/** What a plant may be: anything, until the question plant-fields is answered. */
export type PlantOf<Given extends Answers> = Given extends {
  readonly 'plant-fields': infer Schema extends AnswerSchema;
}
  ? SchemaInput<Schema>
  : unknown;

interface BaseUrlOption {
  /**
   * The address to which the delivery path is appended (questions base-address, delivery-target): an
   * absolute http or https URL without user information, query and fragment.
   */
  readonly baseUrl: string | URL;
}

interface MethodOption {
  /** The HTTP method of a delivery (question http-method): one that carries content and changes state. */
  readonly method: ContentMethod;
}

interface EncodeOption<Plant, Given extends Answers> {
  /**
   * Turns a plant, and the fields of its event once event-payload-fields is answered, into what is sent (questions
   * payload, media-type).
   */
  readonly encode: Encoder<Plant, EventArguments<Given>>;
}

/** Optional once the payload and a media type that this package can encode are answered, both. */
type EncodeWhileOpen<Plant, Given extends Answers> = Given extends {
  readonly 'media-type': EncodableMediaType;
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
      /** The fields of the event beside those of the plant (question event-payload-fields). */
      readonly event: SchemaInput<Schema>;
    }
  : unknown;

type EventIdOption<Given extends Answers> = Given extends {
  readonly 'event-identity': { readonly header: string };
}
  ? {
      /**
       * The identifier of the event (question event-identity): printable ASCII, the same each time that the same event
       * is sent.
       */
      readonly eventId: string;
    }
  : unknown;

type AnsweredStatus<Given extends Answers> = Given extends {
  readonly 'receiver-response': { readonly status: infer Status };
}
  ? { readonly status: Status }
  : unknown;

interface RetryOption {
  /**
   * When a delivery that was not acknowledged is sent again (question retry). `false` switches an answered policy
   * off.
   *
   * @default the answer to the question retry; none while it is open
   */
  readonly retry?: RetryPolicy | false;
}

/** The key of the signatures, once the question signing is answered. */
export interface SigningKeyOption {
  /** The key with which deliveries are signed, written as the answer to the question signing has it. */
  readonly signingKey: string;
}
