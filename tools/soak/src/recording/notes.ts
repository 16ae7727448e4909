/**
 * What a recorder notes in the journal of its disk, between its writes. A delivery has a number of its own, which its
 * media type carries: its content may be empty.
 */
export type Note =
  /** It is about to be accepted. */
  | readonly ['sent', number: number, digest: string, eventId: string | null]
  /** It was acknowledged, with this id; null if a planted fault acknowledged it before it had one. */
  | readonly ['acknowledged', number: number, id: number | null]
  /** Its result is about to be stored; `failures` counts this attempt. */
  | readonly ['settling', number: number, kind: Outcome, failures: number]
  /** Its result is stored. */
  | readonly ['settled', number: number, kind: Outcome, failures: number]
  /** An operator does this with deliveries, and has done it. */
  | readonly ['operating' | 'operated', what: Operation, firstId: number, lastId: number];

/** `remove` is what the retention does. */
export type Operation = 'replay' | 'discard' | 'remove' | 'pause' | 'resume';

export type Outcome = 'handled' | 'failed' | 'parked';

export const mediaTypeOf = (number: number): string => `text/plain; number=${number}`;

/** The number in a media type; undefined if no recorder made it. */
export function numberIn(mediaType: string | null): number | undefined {
  const found = /^text\/plain; number=(\d+)$/.exec(mediaType ?? '');
  return found ? Number(found[1]) : undefined;
}
