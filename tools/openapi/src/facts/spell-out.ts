import { escapeStep } from '../read/json-pointer.js';
import type { Place } from '../read/place.js';
import type { Fact } from './fact.js';
import type { FactNode } from './fact-node.js';
import type { Meanings } from './meanings.js';

/** A node at a place of its document. */
export interface Spot {
  readonly node: FactNode;
  readonly pointer: string;
  readonly place: Place;
}

interface Step extends Spot {
  /** What has been spelled out of the cycle that this step is in, and where. */
  readonly spelled: Map<number, string> | undefined;
}

/**
 * The facts of a node, in the order of its document. A part of a cycle is spelled out once for each way into
 * the cycle; where it comes again, the fact is a reference to that place. There may be very many facts:
 * schemas that share parts multiply when they are written out.
 */
export function* spellOut(start: Spot, meanings: Meanings): Generator<Fact> {
  const waiting: Step[] = [{ ...start, spelled: undefined }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { node, pointer, place } = step;
    const earlier = step.spelled?.get(node.meaning);
    if (earlier !== undefined) yield fact(step, JSON.stringify({ $ref: `#${earlier}` }));
    else if (node.kind === 'value') yield { pointer, text: node.text, place, source: node.source };
    else waiting.push(...stepsBelow(step, meanings).reverse());
  }
}

function stepsBelow({ node, pointer, spelled }: Step, meanings: Meanings): Step[] {
  const cycle = meanings.cycleOf(node);
  spelled?.set(node.meaning, pointer);
  const inside = spelled ?? new Map([[node.meaning, pointer]]);
  const steps = Array.from(node.children, ([key, child]) => ({
    node: child.node,
    pointer: `${pointer}/${escapeStep(key)}`,
    place: child.place,
    spelled: cycle !== undefined && meanings.cycleOf(child.node) === cycle ? inside : undefined,
  }));
  // Which place of a cycle comes first must not depend on the order in which keys are written.
  return cycle === undefined ? steps : steps.sort((one, other) => (one.pointer < other.pointer ? -1 : 1));
}

function fact({ node, pointer, place }: Spot, text: string): Fact {
  return { pointer, text, place, source: node.source };
}
