import type { Fact } from './fact.js';
import type { FactNode } from './fact-node.js';
import type { Meanings } from './meanings.js';
import { spellOut } from './spell-out.js';

/** Every fact of a document by its pointer, in the order of the document; see `spellOut`. */
export function factsOf(root: FactNode, meanings: Meanings): Map<string, Fact> {
  const facts = new Map<string, Fact>();
  const start = { node: root, pointer: '', place: root.source };
  for (const fact of spellOut(start, meanings)) facts.set(fact.pointer, fact);
  return facts;
}
