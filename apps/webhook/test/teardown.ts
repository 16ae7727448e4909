const pending: (() => unknown)[] = [];

/** Undoes something after the current test, whether it passes or fails; the last one first. */
export function afterThisTest(undo: () => unknown): void {
  pending.push(undo);
}

afterEach(async () => {
  for (const undo of pending.splice(0).reverse()) await undo();
});
