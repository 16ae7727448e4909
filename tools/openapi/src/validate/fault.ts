import type { Place } from '../read/source-node.js';

/** A place of a document that breaks a rule of OpenAPI 3.1 or of JSON Schema 2020-12. */
export interface Fault {
  /** JSON Pointer, in the file that `place` is in. */
  readonly pointer: string;
  readonly place: Place;
  /** The end of a sentence about the place: `must be a number (got "1")`. */
  readonly problem: string;
}
