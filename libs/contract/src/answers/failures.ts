import {
  componentNameFaults,
  isJsonMediaType,
  mediaTypeFaults,
  textFaults,
  unless,
  wholeNumberFaults,
} from './checks.js';

/**
 * Every reason to refuse a request, with the status that HTTP defines for it. An answer to `status-codes` can change
 * a status, unless a standard that the specification names settles it (`SettledFailure`). **Add a new reason here**;
 * CONTRIBUTING.md ("Add a response of the receiver") says what else to change.
 */
export const FAILURES = {
  /** RFC 6750 §3.1. */
  'credentials-missing': 401,
  /** RFC 6750 §3.1. */
  'credentials-malformed': 400,
  /** RFC 6750 §3.1. */
  'token-invalid': 401,
  /** RFC 9110 §15.5.5. */
  'path-unknown': 404,
  /** RFC 9110 §15.5.6. */
  'method-not-allowed': 405,
  /** RFC 9110 §15.5.1. */
  'content-missing': 400,
  /** The content is not valid in its media type (RFC 9110 §15.5.1). */
  'content-malformed': 400,
  /** The content is well-formed, but does not match the answered fields (RFC 9110 §15.5.21). */
  'content-invalid': 422,
  /** RFC 9110 §15.5.14. */
  'content-too-large': 413,
  /** RFC 9110 §15.5.16. */
  'media-type-unsupported': 415,
  /** RFC 9110 §15.5.1. */
  'version-unsupported': 400,
  /** RFC 9110 §15.5.1. */
  'event-id-missing': 400,
  /** The credentials are valid, and the request is refused all the same (RFC 9110 §15.5.4). */
  'signature-invalid': 403,
  /** RFC 6585 §4. */
  'rate-exceeded': 429,
  /** RFC 9110 §15.6.4. */
  unavailable: 503,
} as const;

/** Name of a failure. The names are ours and are never sent (question `error-codes`). */
export type Failure = keyof typeof FAILURES;

/** The failures whose status RFC 9110 or RFC 6750 requires. */
const SETTLED_FAILURES = [
  'credentials-missing',
  'credentials-malformed',
  'token-invalid',
  'path-unknown',
  'method-not-allowed',
] as const satisfies readonly Failure[];

export type SettledFailure = (typeof SETTLED_FAILURES)[number];

/** The response to a failure. */
export interface FailureResponse {
  /** From 400 to 599. */
  readonly status: number;
  /** For the document, and for an error payload that has it. */
  readonly description: string;
}

/** The response to a failure whose status a standard settles: only its description can be answered. */
export interface SettledResponse {
  readonly description: string;
}

/** The responses to failures (question `status-codes`). A failure that is left out keeps its status. */
export type StatusCodes = {
  readonly [Name in Failure]?: Name extends SettledFailure ? SettledResponse : FailureResponse;
};

/** The codes of failures (question `error-codes`). The error payload carries them (question `error-payloads`). */
export type ErrorCodes = { readonly [Name in Failure]?: string };

/** The body of the response to a failure (question `error-payloads`): a JSON object. */
export interface ErrorPayload {
  /** A JSON media type without parameters. */
  readonly mediaType: string;
  /** What each field contains. A field without a value is left out, for instance `code` of a failure without one. */
  readonly fields: Readonly<Record<string, ErrorField>>;
  /**
   * Names of fields that every payload has, whatever failed. Default: those with the status. A required field with the
   * code or the description needs one for every failure: in the answer to `error-codes` or to `status-codes`.
   */
  readonly required?: readonly string[];
  /** The name of its schema in the document, in `components.schemas`. Default: ErrorPayload, which is ours. */
  readonly name?: string;
}

/** What a field of an error payload contains. */
type ErrorField = 'status' | 'code' | 'description';

/** Statuses that require a header field that nobody has answered (RFC 9110 §15.5.2, §15.5.6, §15.5.8, §15.5.22). */
const STATUSES_WITH_A_HEADER = [401, 405, 407, 426];

export function statusCodeFaults(codes: StatusCodes): string[] {
  return Object.entries(codes).flatMap(([name, response]) => [
    ...failureNameFaults(name),
    ...statusFaults(name, 'status' in response ? response.status : undefined),
    ...textFaults(`the description of ${name}`, response.description),
  ]);
}

function statusFaults(name: string, status: number | undefined): string[] {
  if (isSettled(name)) {
    return unless(
      status === undefined,
      `the status of ${name} cannot be answered, because a standard settles it`,
    );
  }
  if (status === undefined) return [`${name}.status is missing`];
  return [
    ...wholeNumberFaults(`the status of ${name}`, status, 400, 599),
    ...unless(
      !STATUSES_WITH_A_HEADER.includes(status),
      `the status of ${name} cannot be ${status}, because that status requires a header field that is not answered`,
    ),
  ];
}

function isSettled(name: string): boolean {
  return SETTLED_FAILURES.some((settled) => settled === name);
}

/** The status of the response to a failure: as answered, or as HTTP and RFC 6750 define it. */
export function statusOf(failure: Failure, codes: StatusCodes = {}): number {
  const response = codes[failure];
  return response !== undefined && 'status' in response ? response.status : FAILURES[failure];
}

export function errorCodeFaults(codes: ErrorCodes): string[] {
  return Object.entries(codes).flatMap(([name, code]) => [
    ...failureNameFaults(name),
    ...unless(code !== '', `the code of ${name} must not be empty`),
  ]);
}

/** The fields that every error payload has. */
export function requiredFieldsOf({ fields, required }: ErrorPayload): readonly string[] {
  return required ?? Object.keys(fields).filter((name) => fields[name] === 'status');
}

/** The name of the schema of an error payload in the document. */
export function errorPayloadNameOf({ name = 'ErrorPayload' }: ErrorPayload): string {
  return name;
}

export function errorPayloadFaults(payload: ErrorPayload): string[] {
  const { mediaType, fields, required = [] } = payload;
  const unknown = required.filter((name) => !Object.hasOwn(fields, name));
  return [
    ...mediaTypeFaults('mediaType', mediaType),
    ...unless(isJsonMediaType(mediaType), `mediaType must be a JSON media type (got ${mediaType})`),
    ...unless(Object.keys(fields).length > 0, 'fields must have at least one field'),
    ...componentNameFaults('name', errorPayloadNameOf(payload)),
    ...unknown.map(
      (name) =>
        `required must name fields of the payload (got ${name}; fields: ${Object.keys(fields).join(', ')})`,
    ),
  ];
}

function failureNameFaults(name: string): string[] {
  return unless(
    Object.hasOwn(FAILURES, name),
    `has an unknown failure (got ${name}; known: ${Object.keys(FAILURES).join(', ')})`,
  );
}
