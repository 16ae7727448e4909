import type { Failure } from '@plant-store/contract';
import { NotAcknowledgedError, type Outcome, type PlantStoreError } from '@plant-store/sdk';
import { oneLine, type Result } from '../context.js';
import { isInputFault } from './retry.js';
import type { SecretSources } from './sender-options.js';

const resultOfOutcome = { 'not-sent': 'notSent', unknown: 'unknown', responded: 'notAcknowledged' } as const;

/** What a failed delivery says of its plant. */
export function resultOf(error: PlantStoreError): Result {
  return isInputFault(error) ? 'badInput' : resultOfOutcome[error.outcome];
}

/** A failed delivery as JSON, for scripts. */
export interface FailureRecord {
  readonly outcome: Outcome;
  readonly code: string;
  /** The status of the response, if it came and doesn't acknowledge the delivery. */
  readonly status?: number;
  readonly message: string;
}

export function failureRecord(error: PlantStoreError): FailureRecord {
  const { outcome, code } = error;
  const message = oneLine(error.message);
  return error instanceof NotAcknowledgedError
    ? { outcome, code, status: error.status, message }
    : { outcome, code, message };
}

/** One line about a failed delivery: its outcome, what went wrong, what to do. */
export function describeFailure(error: PlantStoreError, secrets: SecretSources): string {
  return oneLine(`${outcomeText[error.outcome]}: ${error.message} ${advice(error, secrets)}`);
}

/** The outcomes in messages. */
const outcomeText = {
  'not-sent': 'not sent',
  unknown: 'outcome unknown',
  responded: 'not acknowledged',
} as const;

function advice(error: PlantStoreError, secrets: SecretSources): string {
  const refusal = error instanceof NotAcknowledgedError ? error : error.cause;
  if (error.outcome === 'unknown') {
    const isOfGateway = refusal instanceof NotAcknowledgedError && refusal.outcome === 'unknown';
    const reason = isOfGateway ? 'A gateway responds so if it got no valid response. ' : '';
    return `${reason}The receiver may have accepted the plant. If you send again, it may be delivered twice.`;
  }
  if (refusal instanceof NotAcknowledgedError) return adviceOnRefusal(refusal, secrets);
  if (error.outcome === 'responded') return 'The receiver refused an earlier attempt.';
  if (isInputFault(error)) return '';
  const isRefused = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
  if (isRefused) return 'Is the receiver running there? Check --base-url. It is safe to send again.';
  const isConnecting =
    error.code === 'PLANT_STORE_CONNECT_FAILED' || error.code === 'PLANT_STORE_CONNECT_TIMEOUT';
  return `${isConnecting ? 'Check --base-url. ' : ''}It is safe to send again.`;
}

/** What to do after a response that doesn't acknowledge the delivery. */
function adviceOnRefusal(error: NotAcknowledgedError, secrets: SecretSources): string {
  const { failure, status } = error;
  if (failure !== undefined) return adviceOn[failure](error, secrets);
  if (status >= 200 && status < 300) {
    return 'Only the answered status acknowledges a delivery (question receiver-response).';
  }
  if (status >= 300 && status < 400) return 'Redirects are not followed. Check --base-url.';
  const usual = usualFailureOf(status, secrets);
  return usual === undefined ? 'The receiver refused the delivery.' : adviceOn[usual](error, secrets);
}

/** The failure for which HTTP itself defines the status (RFC 9110 §15). What the receiver means is open (status-codes). */
function usualFailureOf(status: number, { key }: SecretSources): Failure | undefined {
  if (status === 403 && key !== undefined) return 'signature-invalid';
  return usualFailures[status];
}

const usualFailures: Readonly<Record<number, Failure>> = {
  401: 'token-invalid',
  404: 'path-unknown',
  405: 'method-not-allowed',
  413: 'content-too-large',
  415: 'media-type-unsupported',
  503: 'unavailable',
};

type Advise = (error: NotAcknowledgedError, secrets: SecretSources) => string;

const checkToken: Advise = (_, { token }) =>
  `The receiver does not accept the access token. Check the token in ${token}.`;
const checkContent: Advise = () => 'The receiver does not accept this content. Check the file.';

const adviceOn: { readonly [Name in Failure]: Advise } = {
  'credentials-missing': checkToken,
  'credentials-malformed': checkToken,
  'token-invalid': checkToken,
  'path-unknown': () => 'The receiver does not know this path. Check --base-url.',
  'method-not-allowed': ({ headers }) =>
    `The receiver does not accept this method${allowed(headers['allow'])}. Check --method.`,
  'content-missing': checkContent,
  'content-malformed': checkContent,
  'content-invalid': checkContent,
  'content-too-large': () => 'The content is too large for the receiver.',
  'media-type-unsupported': () => 'The receiver does not accept this media type. Check --content-type.',
  'version-unsupported': () => 'The receiver does not support this version of requests.',
  'event-id-missing': () => 'The receiver does not accept the identifier of the event. Check --event-id.',
  'signature-invalid': (_, { key }) =>
    `The receiver does not accept the signature.${key === undefined ? '' : ` Check the key in ${key}.`}`,
  'rate-exceeded': () => 'The receiver accepts no more deliveries at the moment. Send it later.',
  unavailable: () =>
    'The receiver is not available at the moment. Send it later. It may have stored the plant; then it is delivered twice.',
};

function allowed(allow: string | readonly string[] | undefined): string {
  return typeof allow === 'string' && /^[A-Z]+(?:, ?[A-Z]+)*$/.test(allow) ? `, only ${allow}` : '';
}
