const pending: (() => unknown)[] = [];

/** Calls a function after the current test, whether it passes or fails. */
export function afterThisTest(undo: () => unknown): void {
  pending.push(undo);
}

afterEach(async () => {
  await Promise.all(pending.splice(0).map((undo) => undo()));
});
