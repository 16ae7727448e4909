import { NotAcknowledgedError } from '../errors/not-acknowledged-error.js';
import type { PlantStoreError } from '../errors/plant-store-error.js';

/** One line about a delivery that failed: what is known of it, what went wrong, what to do. */
export function describeFailure(error: PlantStoreError, tokenSource: string): string {
  return `${beginnings[error.outcome]}: ${error.message} ${advice(error, tokenSource)}`
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const beginnings = {
  'not-sent': 'not sent',
  unknown: 'outcome unknown',
  answered: 'not acknowledged',
} as const;

function advice(error: PlantStoreError, tokenSource: string): string {
  if (error.outcome === 'unknown') {
    return 'The receiver may have taken the plant; sent again, it may be delivered twice.';
  }
  if (error instanceof NotAcknowledgedError) return adviceOnStatus(error, tokenSource);
  if (error.code === 'PLANT_STORE_CONTENT_TOO_LARGE') return '';
  const connecting =
    error.code === 'PLANT_STORE_CONNECT_FAILED' || error.code === 'PLANT_STORE_CONNECT_TIMEOUT';
  return connecting
    ? 'Is the receiver running there? Check --base-url; sending again is safe.'
    : 'Sending again is safe.';
}

/** What HTTP itself says of a status (RFC 9110 §15). The receiver's own meaning is open (status-codes). */
function adviceOnStatus({ status, headers }: NotAcknowledgedError, tokenSource: string): string {
  if (status >= 300 && status < 400) {
    return 'A redirection is not followed; check --base-url.';
  }
  switch (status) {
    case 401:
    case 403:
      return `The receiver does not accept the access token; check the one in ${tokenSource}.`;
    case 404:
      return 'Nothing takes deliveries there; check --base-url.';
    case 405:
      return `The receiver does not take this method${allowed(headers['allow'])}; check --method.`;
    case 413:
      return 'The content is larger than the receiver takes.';
    case 415:
      return 'The receiver does not take this media type; check --content-type.';
    default:
      return status >= 500 ? 'The receiver could not take it now.' : 'The receiver refused it.';
  }
}

function allowed(allow: string | readonly string[] | undefined): string {
  return typeof allow === 'string' && /^[A-Z]+(?:, ?[A-Z]+)*$/.test(allow) ? `, but ${allow}` : '';
}
