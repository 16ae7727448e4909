import type { Place } from '../read/place.js';
import type { Shape } from './shape.js';
import type { SourceNode } from '../read/source-node.js';

/**
 * A part of a document with everything taken away that says nothing: references are followed, sets are
 * sorted, defaults are gone. Several places may lead to one node, and a node may lead back to itself.
 */
export interface FactNode {
  readonly source: SourceNode;
  readonly shape: Shape;
  kind: 'map' | 'list' | 'value';
  /** By key, or by index; empty for a value. */
  children: ReadonlyMap<string, FactChild>;
  /** A value as JSON text; empty maps and lists, and sets, are values. */
  text: string;
  /** Equal for two nodes, also of two documents, if and only if they say the same; see `Meanings`. */
  meaning: number;
}

/** The children of every value: one map for all, because most nodes are values. */
export const NO_CHILDREN: ReadonlyMap<string, FactChild> = new Map();

/** The meaning of a node that was given none yet. */
export const NO_MEANING = -1;

/** What a node has under a key, and where that is written: the place of the key, or of the item. */
export interface FactChild {
  readonly node: FactNode;
  readonly place: Place;
}
