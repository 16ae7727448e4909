/** The user `nobody`. */
const NOBODY = 65_534;

/**
 * Runs something that permissions apply to. They don't apply to root, so tests that run as root run it as a user who
 * owns nothing.
 */
export function asAnotherUser<Result>(run: () => Result): Result {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(NOBODY);
  try {
    return run();
  } finally {
    process.seteuid?.(0);
  }
}
