import type { Outcome } from './outcome.js';
import type { PlantStoreError } from './plant-store-error.js';

/** Tells with the error of a delivery's last attempt how many there were, and what is known after all of them. */
export function tellAttempts(error: PlantStoreError, attempts: number, outcome: Outcome): void {
  Object.assign(error, { attempts, outcome });
}
