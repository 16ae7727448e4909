/** Compile-only: what the compiler knows of an error once its code is compared. */
import {
  isInvalidOptions,
  isNotAcknowledged,
  isPlantStoreError,
  type OptionFault,
  type RetryDelay,
} from '../src/index.js';

export function byCode(error: unknown): number | readonly OptionFault[] | undefined {
  if (!isPlantStoreError(error)) return undefined;
  if (error.code === 'PLANT_STORE_NOT_ACKNOWLEDGED') return error.status;
  switch (error.code) {
    case 'PLANT_STORE_INVALID_OPTIONS':
      return error.faults;
    // @ts-expect-error there is no such code
    case 'PLANT_STORE_NONE':
    default:
      return undefined;
  }
}

export function byGuard(error: unknown): number | readonly OptionFault[] | undefined {
  if (isNotAcknowledged(error)) return error.status;
  return isInvalidOptions(error) ? error.faults : undefined;
}

export const ofPolicy: RetryDelay = ({ attempt, error }) =>
  error.code === 'PLANT_STORE_NOT_ACKNOWLEDGED' && error.status === 503 ? attempt * 1_000 : undefined;
