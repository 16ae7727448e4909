import { STATUS_CODES } from 'node:http';
import {
  type ErrorCode,
  type FailedAttempt,
  isNotAcknowledged,
  type NotAcknowledgedError,
  type Outcome,
  type PlantStoreError,
  type RetryOptions,
} from '@plant-store/sdk';
import { exitCodes, oneLine } from '../context.js';

const outcomes = {
  'not-sent': { exitCode: exitCodes.notSent, text: 'not sent' },
  unknown: { exitCode: exitCodes.unknown, text: 'outcome unknown' },
  responded: { exitCode: exitCodes.notAcknowledged, text: 'not acknowledged' },
} as const;

/** The exit code of a delivery that failed. */
export function exitCodeOf(error: PlantStoreError): number {
  return isInputFault(error) ? exitCodes.badInput : outcomes[error.outcome].exitCode;
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
  const status = isNotAcknowledged(error) && { status: error.status };
  return { outcome, code, ...status, message: messageOf(error) };
}

/** One line about a failed delivery: its outcome, what went wrong, what to do. */
export function describeFailure(error: PlantStoreError): string {
  return `${outcomes[error.outcome].text}: ${messageOf(error)} ${adviceOn(error)}`.trim();
}

/** What went wrong, with the names of the command line. */
function messageOf({ message }: PlantStoreError): string {
  return oneLine(inCommandWords(message));
}

/** Options of the SDK that aren't an option of the same name. */
const otherNames: Readonly<Record<string, string>> = {
  headers: '-H',
  maxConnections: '--concurrency',
  signingKey: 'The signing key',
};

/** What the command line calls an option of the SDK: `totalTimeout`, `--total-timeout`. */
export function optionName(option: string): string {
  return otherNames[option] ?? `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A message of the SDK with the names of the command line. */
export function inCommandWords(message: string): string {
  return message.replaceAll(
    /`(allowInsecureTransport|baseUrl|ca|cert|eventId|headers|key|method)`|\b(?:attempt|connect|total)Timeout\b/g,
    (found, option: string | undefined) => optionName(option ?? found),
  );
}

/** What to do about a failed delivery; empty if the message says it. */
export function adviceOn(error: PlantStoreError): string {
  const { cause, code, outcome } = error;
  const refusal = isNotAcknowledged(error) ? error : cause;
  if (outcome === 'unknown') {
    return 'The receiver may have accepted the plant. If you send again, it may be delivered twice.';
  }
  if (isNotAcknowledged(refusal) && outcome === 'responded') return reasonOf(refusal);
  if (outcome === 'responded') return 'The receiver refused an earlier attempt.';
  if (isInputFault(error)) return '';
  const isConnecting = code.startsWith('PLANT_STORE_CONNECT_') && !('isOfProxy' in error);
  return `${isConnecting ? 'Is the receiver running there? Check --base-url. ' : ''}It is safe to send again.`;
}

/** What a response means that doesn't acknowledge the delivery. */
function reasonOf({ failure, status }: NotAcknowledgedError): string {
  if (status >= 200 && status < 300)
    return 'Only the answered status acknowledges a delivery (question receiver-response).';
  if (status >= 300 && status < 400) return 'Redirects are not followed. Check --base-url.';
  if (status === 407) return 'The proxy refused the delivery. Check its user and password.';
  // What the receiver means by a status is open (status-codes), so this is what HTTP means by it (RFC 9110 §15).
  const reason = failure ?? STATUS_CODES[status];
  const refused = `The receiver refused the delivery${reason === undefined ? '' : `: ${reason}`}.`;
  return status === 401 ? `${refused} Check the access token.` : refused;
}

/** Statuses that say that a plant may be sent again: too many requests, and not available. */
const statuses = [429, 503];

const inputCodes: readonly ErrorCode[] = [
  'PLANT_STORE_CONTENT_TOO_LARGE',
  'PLANT_STORE_ENCODE_FAILED',
  'PLANT_STORE_HEADERS_FAILED',
  'PLANT_STORE_INVALID_OPTIONS',
];

/** Whether an error comes again however often the plant is sent. */
export function isInputFault({ code }: PlantStoreError): boolean {
  return inputCodes.includes(code);
}

/** The longest wait between two attempts, in milliseconds. */
const maxDelay = 60_000;

/** The wait after so many attempts, in milliseconds: 1 s, 2 s, 4 s, up to 60 s. */
export function backoff(attempts: number): number {
  return Math.min(1_000 * 2 ** (attempts - 1), maxDelay);
}

/**
 * The wait after an attempt that failed, in milliseconds. `undefined` after the last one, and
 * wherever the receiver may have accepted the plant or refused it for good, or the plant can't be sent.
 *
 * @param retries How many further attempts there are, from `--retry`.
 */
function delayAfter(retries: number, { attempt, error, outcome }: FailedAttempt): number | undefined {
  const isRefused = isNotAcknowledged(error) && !statuses.includes(error.status);
  const isOver = attempt > retries || outcome === 'unknown' || isRefused || isInputFault(error);
  return isOver ? undefined : backoff(attempt);
}

/** The retry policy of `--retry` for a sender. */
export function policyOf(retries: number): RetryOptions | false {
  if (retries === 0) return false;
  return {
    delays: (failed) => delayAfter(retries, failed),
    statuses,
    withoutResponse: true,
    maxRetryAfter: maxDelay,
  };
}
