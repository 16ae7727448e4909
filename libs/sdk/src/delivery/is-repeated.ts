import type { RetryPolicy } from '@plant-store/contract';
import type { ErrorCode } from '../errors/error-codes.js';
import { NotAcknowledgedError } from '../errors/not-acknowledged-error.js';
import { PlantStoreError } from '../errors/plant-store-error.js';

/** No connection, a broken one, or a time-out of an attempt. */
const withoutAnswer: readonly ErrorCode[] = [
  'PLANT_STORE_CONNECT_FAILED',
  'PLANT_STORE_CONNECT_TIMEOUT',
  'PLANT_STORE_CONNECTION_LOST',
  'PLANT_STORE_ATTEMPT_TIMEOUT',
];

/** Whether there is another attempt after one that ended with this error. */
export function isRepeated(policy: RetryPolicy, error: Error): boolean {
  if (error instanceof NotAcknowledgedError) {
    return policy.statuses === 'all' || policy.statuses.includes(error.status);
  }
  return policy.withoutAnswer && error instanceof PlantStoreError && withoutAnswer.includes(error.code);
}
