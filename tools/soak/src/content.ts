import { createHash, randomBytes } from 'node:crypto';

/**
 * What the handler does with a delivery. The content says it (preload/handler.mjs).
 *
 * - `handle`, `wait`: succeeds, at once or after up to 20 ms
 * - `fail once`: fails at its first attempt
 * - `reject`: succeeds, and leaves behind a promise that rejects
 * - `fail`, `change`: fails at each attempt; `change` first changes the delivery
 * - `exit`, `throw`: ends the process, by `process.exit` or by an exception that nobody catches
 * - `block`: never returns
 */
export type Fate =
  'handle' | 'wait' | 'fail once' | 'reject' | 'fail' | 'change' | 'exit' | 'throw' | 'block';

/** The fates that never succeed. */
const POISON: readonly Fate[] = ['fail', 'change', 'exit', 'throw', 'block'];

export const isPoison = (fate: Fate): boolean => POISON.includes(fate);

/** Content that no other delivery has: a line with its number and its fate, and random bytes. */
export function makeContent(sequence: number, fate: Fate, bytes: number): Buffer {
  return Buffer.concat([Buffer.from(`${sequence} ${fate}\n`), randomBytes(bytes)]);
}

/** The number in the first line of a content; undefined if this soak didn't make it. */
export function sequenceOf(content: Buffer): number | undefined {
  const line = /^(\d+) [a-z ]+\n/.exec(content.toString('latin1', 0, 40));
  return line ? Number(line[1]) : undefined;
}

/** Names content by its digest. */
export const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
