import type { Failure } from '@plant-store/contract';
import { NotAcknowledgedError, type Outcome, type PlantStoreError } from '@plant-store/sdk';
import { oneLine, type Result } from '../context.js';
import { isInputFault } from './retry.js';

const outcomes = {
  'not-sent': { result: 'notSent', text: 'not sent' },
  unknown: { result: 'unknown', text: 'outcome unknown' },
  responded: { result: 'notAcknowledged', text: 'not acknowledged' },
} as const;

/** What a failed delivery says of its plant. */
export function resultOf(error: PlantStoreError): Result {
  return isInputFault(error) ? 'badInput' : outcomes[error.outcome].result;
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
  const status = error instanceof NotAcknowledgedError && { status: error.status };
  return { outcome, code, ...status, message: oneLine(error.message) };
}

/** One line about a failed delivery: its outcome, what went wrong, what to do. */
export function describeFailure(error: PlantStoreError): string {
  return oneLine(`${outcomes[error.outcome].text}: ${error.message} ${adviceOn(error)}`);
}

function adviceOn(error: PlantStoreError): string {
  const { cause, code, outcome } = error;
  const refusal = error instanceof NotAcknowledgedError ? error : cause;
  if (outcome === 'unknown') {
    const isOfGateway = refusal instanceof NotAcknowledgedError && refusal.outcome === 'unknown';
    const reason = isOfGateway ? 'A gateway responds so if it got no valid response. ' : '';
    return `${reason}The receiver may have accepted the plant. If you send again, it may be delivered twice.`;
  }
  if (refusal instanceof NotAcknowledgedError) return adviceOnRefusal(refusal);
  if (outcome === 'responded') return 'The receiver refused an earlier attempt.';
  if (isInputFault(error)) return '';
  const isConnecting = code.startsWith('PLANT_STORE_CONNECT_');
  return `${isConnecting ? 'Is the receiver running there? Check --base-url. ' : ''}It is safe to send again.`;
}

/** What to do after a response that doesn't acknowledge the delivery. */
function adviceOnRefusal({ failure, status }: NotAcknowledgedError): string {
  const known = failure ?? usualFailures[status];
  if (known !== undefined) return `The receiver ${refusals[known]}`;
  if (status >= 200 && status < 300)
    return 'Only the answered status acknowledges a delivery (question receiver-response).';
  if (status >= 300 && status < 400) return 'Redirects are not followed. Check --base-url.';
  return 'The receiver refused the delivery.';
}

/** The failure for which HTTP itself defines the status (RFC 9110 §15). What the receiver means is open (status-codes). */
const usualFailures: Readonly<Record<number, Failure>> = {
  401: 'token-invalid',
  404: 'path-unknown',
  405: 'method-not-allowed',
  413: 'content-too-large',
  415: 'media-type-unsupported',
  503: 'unavailable',
};

const token = 'does not accept the access token. Check it.';
const content = 'does not accept this content. Check the file.';

const refusals: { readonly [Name in Failure]: string } = {
  'credentials-missing': token,
  'credentials-malformed': token,
  'token-invalid': token,
  'path-unknown': 'does not know this path. Check --base-url.',
  'method-not-allowed': 'does not accept this method. Check --method.',
  'content-missing': content,
  'content-malformed': content,
  'content-invalid': content,
  'content-too-large': 'does not accept so much content.',
  'media-type-unsupported': 'does not accept this media type. Check --content-type.',
  'version-unsupported': 'does not support this version of requests.',
  'event-id-missing': 'does not accept the identifier of the event. Check --event-id.',
  'signature-invalid': 'does not accept the signature. Check the signing key.',
  'rate-exceeded': 'accepts no more deliveries at the moment. Send it later.',
  unavailable:
    'is not available at the moment. Send it later. It may have stored the plant; then it is delivered twice.',
};
