const pending: (() => unknown)[] = [];

/** Has something undone after the test that runs, whatever becomes of the test. */
export function afterThisTest(undo: () => unknown): void {
  pending.push(undo);
}

afterEach(async () => {
  await Promise.all(pending.splice(0).map((undo) => undo()));
});
