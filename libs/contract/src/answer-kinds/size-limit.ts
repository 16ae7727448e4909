/**
 * The largest content that an answer to `size-limits` may allow, in bytes: it fits one string of JavaScript and one
 * value of SQLite, with room for what stands beside it.
 */
export const MAX_SIZE_LIMIT = 500_000_000;
