/** Longest time that somebody who asks waits for the inbox, in milliseconds. An inbox on another machine may hang. */
export const INBOX_TIMEOUT = 2_000;

/**
 * Waits for a result, and no longer than the limit.
 *
 * @param limit in milliseconds
 * @param otherwise what is returned after that time
 */
export async function withTimeLimit<Result>(
  running: Promise<Result>,
  limit: number,
  otherwise: () => Result,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(otherwise()), limit);
  });
  try {
    return await Promise.race([running, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
