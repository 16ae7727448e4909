import { PlantStoreError } from '../src/index.js';

/** The error of a promise that has to reject with one of ours. */
export async function rejection(promise: Promise<unknown>): Promise<PlantStoreError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PlantStoreError) return error;
  throw new Error(`Expected a PlantStoreError, got ${String(error)}.`, { cause: error });
}
