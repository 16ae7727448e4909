const pending: (() => unknown)[] = [];

/** Has something undone after the test that runs, whatever becomes of the test; what came last goes first. */
export function afterThisTest(undo: () => unknown): void {
  pending.push(undo);
}

afterEach(async () => {
  for (const undo of pending.splice(0).reverse()) await undo();
});
