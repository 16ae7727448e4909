/** Which parts of a commit that failed may succeed: none, what can wait or what can't, or any. */
export type Retry = 'nothing' | 'either kind' | 'any part';

/** How writes are collected into commits. */
export interface CommitOptions<Write> {
  /** What to do after a commit of several writes has failed. One write that can't be made must not refuse others. */
  readonly retry: (error: unknown) => Retry;
  /** Size of one write, in bytes. */
  readonly sizeOf: (write: Write) => number;
  /** Largest size of one commit, in bytes; a single write may be larger. */
  readonly maxSize: number;
  /** How long a write that isn't urgent may wait for others, in milliseconds. */
  readonly maxDelay: number;
}

/** A write that waits for its commit. */
export interface Pending<Write, Result> {
  readonly write: Write;
  readonly canWait: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How many of the first writes fit into one commit, at least one, and their size. */
export function firstBatch<Write>(
  pending: readonly { readonly write: Write }[],
  { sizeOf, maxSize }: Pick<CommitOptions<Write>, 'sizeOf' | 'maxSize'>,
): { readonly count: number; readonly size: number } {
  let size = 0;
  let count = 0;
  for (const { write } of pending) {
    const withThis = size + sizeOf(write);
    if (count > 0 && withThis > maxSize) break;
    size = withThis;
    count += 1;
  }
  return { count, size };
}

/** The parts of a batch that are tried by themselves, what can't wait first; none if none may succeed. */
export function splitBatch<Part extends { readonly canWait: boolean }>(
  batch: readonly Part[],
  retry: Retry,
): Part[][] {
  if (retry === 'nothing') return [];
  const kinds = [batch.filter(({ canWait }) => !canWait), batch.filter(({ canWait }) => canWait)];
  if (kinds.every((kind) => kind.length > 0)) return kinds;
  const middle = Math.ceil(batch.length / 2);
  return retry === 'any part' && batch.length > 1 ? [batch.slice(0, middle), batch.slice(middle)] : [];
}
