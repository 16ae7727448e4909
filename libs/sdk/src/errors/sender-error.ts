import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';
import type { InvalidOptionsError } from './invalid-options-error.js';
import type { NotAcknowledgedError } from './not-acknowledged-error.js';
import { type ErrorCode, isOutcome, type PlantStoreError } from './plant-store-error.js';

/** Every error of this package. Comparing its `code` tells the compiler what else the error has. */
export type SenderError =
  | NotAcknowledgedError
  | InvalidOptionsError
  | (PlantStoreError & {
      readonly code: Exclude<ErrorCode, (NotAcknowledgedError | InvalidOptionsError)['code']>;
    });

/**
 * Whether a value is an error of this package: its code begins with `PLANT_STORE_`, and it has an outcome. It may come
 * from another copy of the package, whose version may have further codes.
 */
export function isPlantStoreError(error: unknown): error is SenderError {
  if (!isNativeError(error)) return false;
  try {
    const { code, outcome } = error as Partial<Record<'code' | 'outcome', unknown>>;
    return typeof code === 'string' && code.startsWith('PLANT_STORE_') && isOutcome(outcome);
  } catch {
    // A getter of it throws.
    return false;
  }
}

/** Whether the receiver responded with a status that does not acknowledge the delivery. */
export function isNotAcknowledged(error: unknown): error is NotAcknowledgedError {
  return isPlantStoreError(error) && error.code === 'PLANT_STORE_NOT_ACKNOWLEDGED';
}

/** Whether options are missing or invalid. */
export function isInvalidOptions(error: unknown): error is InvalidOptionsError {
  return isPlantStoreError(error) && error.code === 'PLANT_STORE_INVALID_OPTIONS';
}

/** A function of the caller may throw anything. This returns an error whose message is a text. */
export function toError(thrown: unknown): Error {
  try {
    if (isNativeError(thrown) && typeof thrown.message === 'string') return thrown;
    return new Error(inspect(thrown));
  } catch {
    return new Error('What was thrown can not be read.');
  }
}
