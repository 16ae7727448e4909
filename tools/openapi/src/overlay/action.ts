import type { Place } from '../read/place.js';
import type { SourceNode } from '../read/source-node.js';

/** Of one answer on the specification's side: an action of an OpenAPI Overlay with its provenance. */
export interface Action {
  /** The JSONPath as it is written. */
  readonly target: string;
  /** Keys and indices that lead to the target. */
  readonly steps: readonly string[];
  /** What it adds there; nothing where OpenAPI has no place for the answer. */
  readonly update?: SourceNode;
  /** The value of the answer (`x-answer`), in one action of each question. */
  readonly answer?: SourceNode;
  /** Id of the question that it answers (`x-question`). */
  readonly question: string;
  /** Who answered (`x-answered-by`). */
  readonly answeredBy: string;
  /** When, as `2026-01-31` (`x-date`). */
  readonly date: string;
  /** Why (`x-reason`). */
  readonly reason: string;
  /** Where the action is written. */
  readonly place: Place;
}
