import { type FactChild, type FactNode, parameterName } from '../facts/fact.js';
import { METHODS } from '../facts/openapi-objects.js';
import type { Pair } from './unit.js';

/** A parameter of one document or both, and where it is written. */
export interface ParameterPart {
  /** What it is recognised by. */
  readonly field: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  /** The lists that it is written in. */
  readonly within: Pair;
  /** From the object that has the list, in the new document if it has the parameter. */
  readonly rest: string;
  /** Whether that object is the path item. */
  readonly isOfPathItem: boolean;
}

/**
 * The parameters that an operation takes, wherever they are written: its own, and those of its path item that it
 * doesn't replace (OpenAPI 3.1.0 §4.8.9). Without an operation, those of the path item. Undefined if one of the lists
 * can't be read.
 */
export function parameterParts(pathItem: Pair, operation?: Pair): readonly ParameterPart[] | undefined {
  const ours = takenBy(operation?.first, pathItem.first);
  const theirs = takenBy(operation?.second, pathItem.second);
  if (ours === undefined || theirs === undefined) return undefined;
  return Array.from(new Set([...ours.keys(), ...theirs.keys()]), (field) => {
    const [first, second] = [ours.get(field), theirs.get(field)];
    const written = second ?? first;
    return {
      field,
      first: first?.child,
      second: second?.child,
      within: { first: first?.list, second: second?.list },
      rest: `/parameters/${written?.step ?? ''}`,
      isOfPathItem: written?.isOfPathItem === true,
    };
  });
}

/** Whether an operation that both documents have takes the parameters of its path item. */
export function hasOperation({ first, second }: Pair): boolean {
  return METHODS.some(
    (method) => first?.children.has(method) === true && second?.children.has(method) === true,
  );
}

interface Parameter {
  readonly child: FactChild;
  readonly list: FactNode;
  readonly step: string;
  readonly isOfPathItem: boolean;
}

type Parameters = ReadonlyMap<string, Parameter>;

function takenBy(operation: FactNode | undefined, pathItem: FactNode | undefined): Parameters | undefined {
  const own = writtenIn(operation, false);
  const inherited = writtenIn(pathItem, true);
  return own && inherited && new Map([...inherited, ...own]);
}

function writtenIn(node: FactNode | undefined, isOfPathItem: boolean): Parameters | undefined {
  const list = node?.children.get('parameters')?.node;
  if (list === undefined) return new Map();
  const entries = Array.from(list.children, ([step, child]): [string, Parameter] => [
    parameterName(child.node),
    { child, list, step, isOfPathItem },
  ]);
  const byKey = new Map(entries);
  return list.source.kind === 'list' && byKey.size === entries.length ? byKey : undefined;
}
