import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Undoes something. Its result is awaited. */
type Undo = () => unknown;

/** Registers something to undo. */
export type CleanUp = (undo: Undo) => void;

const ofTest: Undo[] = [];
const ofFile: Undo[] = [];

/** Undoes something after the running test, also if it fails. The last one registered is undone first. */
export const afterThisTest: CleanUp = (undo) => ofTest.push(undo);

/** Undoes something after the last test of the file. */
export const afterThisFile: CleanUp = (undo) => ofFile.push(undo);

afterEach(() => undoAll(ofTest));
afterAll(() => undoAll(ofFile));

async function undoAll(undos: Undo[]): Promise<void> {
  const faults: unknown[] = [];
  for (const undo of undos.splice(0).reverse()) {
    try {
      await undo();
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, 'Failed to clean up after a test.');
}

/** Makes a temporary folder. It is removed after the test. */
export function makeFolder(cleanUp: CleanUp = afterThisTest): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
