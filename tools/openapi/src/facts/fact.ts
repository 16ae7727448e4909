import type { Place } from '../read/place.js';
import type { SourceNode } from '../read/source-node.js';

/** One thing that a document states. */
export interface Fact {
  /**
   * JSON Pointer (RFC 6901) of the place where it holds. Where the document has a reference on the way, it
   * is the pointer that the place would have if what the reference denotes stood there.
   */
  readonly pointer: string;
  /** The value as JSON text. Empty maps and lists are values; a circular place is a `$ref` to the first. */
  readonly text: string;
  /** Where it is written: its key, or itself where it is an item of a list. */
  readonly place: Place;
  /** The value as it is written. */
  readonly source: SourceNode;
}
