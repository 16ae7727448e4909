import { STATUS_CODES } from 'node:http';
import { NotAcknowledgedError, type Outcome, type PlantStoreError } from '@plant-store/sdk';
import { oneLine, type Result } from '../context.js';
import { ProxyError } from './proxy.js';
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
  if (refusal instanceof NotAcknowledgedError) return reasonOf(refusal);
  if (outcome === 'responded') return 'The receiver refused an earlier attempt.';
  if (isInputFault(error)) return '';
  const isConnecting = code.startsWith('PLANT_STORE_CONNECT_') && !(error instanceof ProxyError);
  return `${isConnecting ? 'Is the receiver running there? Check --base-url. ' : ''}It is safe to send again.`;
}

/** What a response means that doesn't acknowledge the delivery. */
function reasonOf({ failure, headers, status }: NotAcknowledgedError): string {
  if (status >= 200 && status < 300)
    return 'Only the answered status acknowledges a delivery (question receiver-response).';
  if (status >= 300 && status < 400) return 'Redirects are not followed. Check --base-url.';
  if (status === 407) return 'The proxy refused the delivery. Check its user and password.';
  // What the receiver means by a status is open (status-codes), so this is what HTTP means by it (RFC 9110 §15).
  const reason = failure ?? STATUS_CODES[status];
  const refused = `The receiver refused the delivery${reason === undefined ? '' : `: ${reason}`}.`;
  if (status === 401) return `${refused} Check the access token.`;
  return status === 405 && headers['allow'] ? `${refused} It allows ${String(headers['allow'])}.` : refused;
}
