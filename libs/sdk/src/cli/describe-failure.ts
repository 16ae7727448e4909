import { NotAcknowledgedError } from '../errors/not-acknowledged-error.js';
import type { PlantStoreError } from '../errors/plant-store-error.js';
import { adviceOnRefusal, type SecretSources } from './advice-on-refusal.js';

/** One line about a delivery that failed: what is known of it, what went wrong, what to do. */
export function describeFailure(error: PlantStoreError, secrets: SecretSources): string {
  return `${beginnings[error.outcome]}: ${error.message} ${advice(error, secrets)}`
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const beginnings = {
  'not-sent': 'not sent',
  unknown: 'outcome unknown',
  answered: 'not acknowledged',
} as const;

function advice(error: PlantStoreError, secrets: SecretSources): string {
  if (error.outcome === 'unknown') {
    return 'The receiver may have taken the plant; sent again, it may be delivered twice.';
  }
  const refusal = error instanceof NotAcknowledgedError ? error : error.cause;
  if (refusal instanceof NotAcknowledgedError) return adviceOnRefusal(refusal, secrets);
  if (error.outcome === 'answered') return 'The receiver refused an attempt.';
  if (error.code === 'PLANT_STORE_CONTENT_TOO_LARGE') return '';
  const connecting =
    error.code === 'PLANT_STORE_CONNECT_FAILED' || error.code === 'PLANT_STORE_CONNECT_TIMEOUT';
  return connecting
    ? 'Is the receiver running there? Check --base-url; sending again is safe.'
    : 'Sending again is safe.';
}
