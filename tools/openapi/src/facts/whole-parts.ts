import type { Place } from '../read/source-node.js';
import { type FactChild, type FactNode, leadsTo } from './fact.js';
import type { Shape } from './openapi-objects.js';

/** What the facts of two documents are compared by. */
export interface CompareOptions<Label> {
  /** The label of a place of the first document, which everything below it has too. Equal facts with a label are listed. */
  readonly labelOf: (place: Place) => Label | undefined;
  /** Whether the facts of a webhook, a path or an operation are listed each, although only one document has it. */
  readonly isTakenApart: (pointer: string) => boolean;
}

/** A place, with what each document has there. */
interface Sides<Label> {
  readonly pointer: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  readonly labels: readonly Label[];
}

/** A webhook or a path, and an operation. */
const WHOLE: ReadonlySet<Shape> = new Set<Shape>(['path-item', 'operation']);

/** Knows what is one fact if only one of two documents has it. */
export class WholeParts<Label> {
  /** What leads to no label. */
  readonly #unlabelled = new Set<FactNode>();

  constructor(readonly options: CompareOptions<Label>) {}

  /**
   * Whether a part is a webhook, a path or an operation that only one document has, and that has several facts. One
   * that has or leads to a label is none: each of its facts may be another's.
   */
  isOneFact({ pointer, first, second, labels }: Sides<Label>): boolean {
    if (first !== undefined && second !== undefined) return false;
    const only = first ?? second;
    if (only === undefined || !WHOLE.has(only.node.shape) || !hasSeveralFacts(only.node)) return false;
    if (this.options.isTakenApart(pointer)) return false;
    const isLabelled = (place: Place) => this.options.labelOf(place) !== undefined;
    return first === undefined || (labels.length === 0 && !leadsTo(first.node, isLabelled, this.#unlabelled));
  }
}

/** A fact that stands alone says more than what it is in. */
function hasSeveralFacts(from: FactNode): boolean {
  const passed = new Set<FactNode>();
  let node: FactNode | undefined = from;
  while (node?.children.size === 1 && !passed.has(node)) {
    passed.add(node);
    const [only] = node.children.values();
    node = only?.node;
  }
  return node !== undefined && node.children.size > 1;
}
