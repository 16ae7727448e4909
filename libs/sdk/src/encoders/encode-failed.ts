import { PlantStoreError } from '../errors/plant-store-error.js';

/** The error of a plant that could not be encoded as it has to be. */
export function encodeFailed(message: string, cause?: unknown): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_ENCODE_FAILED', message, { outcome: 'not-sent', cause });
}
