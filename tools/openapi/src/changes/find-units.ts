import { type FactNode, isSame } from '../facts/fact.js';
import { isObject } from '../facts/openapi-objects.js';
import { countPlaces, type Part as Spot, placesOf, type Visit } from '../facts/places.js';
import { pointerSteps } from '../read/json-pointer.js';
import { descend } from '../read/source-node.js';
import {
  audienceOf,
  type Context,
  contextBelow,
  contextOfRoot,
  isDefinitions,
  keyOf,
  modifiersAt,
  silenced,
} from './context.js';
import { isLookedInto, type Part, partsOf } from './parts.js';
import type { InMessage, Pair, Unit } from './unit.js';

/** A change, and where it is. */
export interface FoundUnit {
  readonly unit: Unit;
  /** The same text for what is the same part of the same two parts, whatever it means there. */
  readonly part: string;
  /** How many places it has. A shared part has many. */
  readonly count: number;
  /** JSON Pointers of the first 1000. */
  readonly places: readonly string[];
}

/**
 * Everything that changed between two documents. Two parts that come again where a change means the same are
 * looked into once, so the effort grows with what is written and not with the number of places.
 */
export function findUnits(root: Pair): readonly FoundUnit[] {
  return new UnitFinder(root).run();
}

/** A part that is still to be compared. */
interface Waiting {
  readonly part: Part;
  readonly around: Pair;
  /** What it is in; undefined if that is the document. */
  readonly above: Waiting | undefined;
  /** Of what it is a part of. */
  readonly context: Context;
  readonly at: Visit;
}

class UnitFinder {
  readonly #spots = new Map<string, Spot>();
  readonly #numbers = new Map<FactNode | undefined, number>();
  readonly #waiting: Waiting[] = [];
  /** What defines parts for others. It is compared last, without what is compared where it is used. */
  readonly #definitions: Waiting[] = [];
  readonly #parameters = new Set<string>();
  readonly #used = new Set<FactNode>();
  /** The pairs that were compared where they are used. */
  readonly #comparedPairs = new Set<string>();
  readonly #found: { readonly unit: Unit; readonly at: Visit }[] = [];
  #areDefinitions = false;

  constructor(readonly root: Pair) {}

  run(): readonly FoundUnit[] {
    const nothing: Pair = { first: undefined, second: undefined };
    this.#lookInto(
      this.root,
      nothing,
      contextOfRoot(this.root),
      { pointer: '', within: undefined },
      undefined,
    );
    this.#compareAll();
    this.#areDefinitions = true;
    for (const waiting of this.#definitions.reverse()) this.#waiting.push(waiting);
    this.#compareAll();
    // In the order in which they were found, so that a long chain of parts is no deep recursion.
    for (const spot of this.#spots.values()) countPlaces(spot);
    return this.#found.map(({ unit, at }) => ({
      unit,
      part: `${this.#pairKey(unit.within)} ${unit.field}`,
      count: countPlaces(at.within),
      places: placesOf(at),
    }));
  }

  #compareAll(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) this.#compare(next);
  }

  #compare(waiting: Waiting): void {
    const { part, context, at } = waiting;
    const isDefinition = part.isForOthers === true || isDefinitions(part.kind);
    if (this.#areDefinitions && this.#isCompared(part, isDefinition, at.pointer)) return;
    if (!this.#areDefinitions && (part.isForOthers === true || (isDefinition && isLookedInto(part))))
      this.#definitions.push(waiting);
    else if (!isLookedInto(part)) this.#state(waiting);
    else {
      const pair = pairOf(part);
      this.#lookInto(pair, part.within, contextBelow(context, part.kind, pair), at, waiting);
    }
  }

  /** Pushes in reverse, so that the first part is compared first. */
  #lookInto(pair: Pair, around: Pair, context: Context, at: Visit, above: Waiting | undefined): void {
    // An operation takes parameters from its path item.
    const pathItem = context.name === 'operation' ? this.#pairKey(around) : '';
    const spot = this.#newSpot(`${this.#pairKey(pair)} ${pathItem} ${keyOf(context)}`, at);
    if (spot === undefined) return;
    if (!this.#areDefinitions) {
      this.#comparedPairs.add(this.#pairKey(pair));
      for (const node of nodesOf(pair)) this.#used.add(node);
    }
    const parts = partsOf(pair, around, context).map((part): Waiting => {
      const within = part.isOfPathItem === true ? at.within : spot;
      const contextOfPart = part.isForOthers === true ? silenced(context) : context;
      const place = { pointer: `${within?.pointer ?? ''}${part.rest}`, within };
      const aroundPart = part.within === pair ? around : pair;
      return { part, around: aroundPart, above, context: contextOfPart, at: place };
    });
    for (const part of parts.reverse()) this.#waiting.push(part);
  }

  /** Undefined if the same two parts were looked into already. */
  #newSpot(key: string, at: Visit): Spot | undefined {
    const known = this.#spots.get(key);
    if (known === undefined) {
      const spot: Spot = { pointer: at.pointer, visits: [at] };
      this.#spots.set(key, spot);
      return spot;
    }
    const isCircle = at.pointer.startsWith(`${known.pointer}/`);
    // Several operations take the same parameter from their path item.
    const isRepeated = known.visits.at(-1)?.pointer === at.pointer;
    if (!isCircle && !isRepeated) known.visits.push(at);
    return undefined;
  }

  #pairKey({ first, second }: Pair): string {
    return `${this.#number(first)} ${this.#number(second)}`;
  }

  #number(node: FactNode | undefined): number {
    const number = this.#numbers.get(node) ?? this.#numbers.size;
    this.#numbers.set(node, number);
    return number;
  }

  #state(waiting: Waiting): void {
    const { part, around, context, at } = waiting;
    const { kind, field, within, first, second } = part;
    const pair = pairOf(part);
    if (!this.#areDefinitions) reach(nodesOf(pair), this.#used);
    if (first !== undefined && second !== undefined && isSame(first.node, second.node)) return;
    if (part.isOfPathItem === true && !this.#isNew(`${at.pointer} ${first === undefined}`)) return;
    const { isResponse, ...below } = contextBelow(context, kind, pair);
    const audience = audienceOf({ isResponse, ...below });
    const { root } = this;
    const modifiers = modifiersAt(context, kind);
    const inMessage = inMessageOf(waiting);
    const unit = {
      kind,
      field,
      first,
      second,
      within,
      around,
      root,
      audience,
      isResponse,
      inMessage,
      modifiers,
    };
    this.#found.push({ unit, at });
  }

  /** Several operations take the same parameter from their path item. */
  #isNew(parameter: string): boolean {
    if (this.#parameters.has(parameter)) return false;
    this.#parameters.add(parameter);
    return true;
  }

  /** Whether a part was compared already, where it is used. */
  #isCompared(part: Part, isDefinition: boolean, pointer: string): boolean {
    const pair = pairOf(part);
    // A part of a definition that nothing uses may be used elsewhere, and still have changed here.
    if (!isDefinition) return this.#comparedPairs.has(this.#pairKey(pair));
    const nodes = nodesOf(pair);
    if (nodes.every((node) => this.#used.has(node))) return true;
    if (nodes.length === 2 || !/^components\.\w+\.\*$/.test(part.kind)) return false;
    // Both documents have it, but in one of them it isn't a fact of its own, because something uses it.
    return nodesOf(this.root).every(({ source }) => descend(source, pointerSteps(pointer)) !== undefined);
  }
}

function inMessageOf({ part, above }: Waiting): InMessage | undefined {
  const steps: string[] = [];
  let [outer, next]: [Part, Waiting | undefined] = [part, above];
  for (; outer.kind.startsWith('schema.') && next !== undefined; { part: outer, above: next } = next)
    steps.unshift(outer.field);
  return outer.kind.endsWith('.schema') ? { schema: pairOf(outer), steps } : undefined;
}

function pairOf({ first, second }: Part): Pair {
  return { first: first?.node, second: second?.node };
}

function nodesOf({ first, second }: Pair): readonly FactNode[] {
  return [first, second].filter((node) => node !== undefined);
}

/** Adds everything that these lead to. Values that are data are left out: there are many, and nothing shares them. */
function reach(from: readonly FactNode[], reached: Set<FactNode>): void {
  const waiting = [...from];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (reached.has(node) || (node.kind === 'value' && !isObject(node.shape))) continue;
    reached.add(node);
    for (const child of node.children.values()) waiting.push(child.node);
  }
}
