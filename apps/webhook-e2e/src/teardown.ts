/** Undoes something; what it returns is awaited. */
export type Undo = () => unknown;

/** Takes what has to be undone. */
export type TearDown = (undo: Undo) => void;

const ofTest: Undo[] = [];
const ofFile: Undo[] = [];

/** Has something undone after the test that runs, whatever becomes of it; what came last is undone first. */
export const afterThisTest: TearDown = (undo) => ofTest.push(undo);

/** The same after the last test of the file. */
export const afterThisFile: TearDown = (undo) => ofFile.push(undo);

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
  if (faults.length > 0) throw new AggregateError(faults, 'Not everything could be undone.');
}
