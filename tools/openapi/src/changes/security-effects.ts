import type { FactChild, FactNode } from '../facts/fact.js';
import { METHODS } from '../facts/openapi-objects.js';
import { type Effect, NEITHER, UNKNOWN } from './effect.js';
import type { Pair, Unit } from './unit.js';

// Security as it holds for an operation: its own `security`, or else that of the document (OpenAPI 3.1.0 §4.8.10).

/** For `security` of an operation. */
export function operationSecurityEffect({ first, second, root }: Unit): Effect {
  return securityCompared(first ?? securityOf(root.first), second ?? securityOf(root.second));
}

/** For `security` of the document: it means nothing where every operation has its own. */
export function rootSecurityEffect({ first, second, root }: Unit): Effect {
  return isInherited(root) ? securityCompared(first, second) : NEITHER;
}

function securityOf(node: FactNode | undefined): FactChild | undefined {
  return node?.children.get('security');
}

/** Whether an operation takes the security of the document in both, or a document has no operation yet. */
function isInherited({ first, second }: Pair): boolean {
  const [before, after] = [first, second].map((document) => operationsOf(document));
  if (before === undefined || after === undefined || before.size === 0 || after.size === 0) return true;
  return [...before].some(([key, operation]) => {
    const counterpart = after.get(key);
    return (
      counterpart !== undefined && [operation, counterpart].every((one) => securityOf(one) === undefined)
    );
  });
}

/** By section, path and method. */
function operationsOf(document: FactNode | undefined): Map<string, FactNode> {
  const operations = new Map<string, FactNode>();
  for (const section of ['webhooks', 'paths']) {
    for (const [name, item] of document?.children.get(section)?.node.children ?? []) {
      for (const method of METHODS) {
        const operation = item.node.children.get(method)?.node;
        if (operation !== undefined) operations.set(JSON.stringify([section, name, method]), operation);
      }
    }
  }
  return operations;
}

function securityCompared(first: FactChild | undefined, second: FactChild | undefined): Effect {
  const [before, after] = [alternativesIn(first), alternativesIn(second)];
  if (before === undefined || after === undefined) return UNKNOWN;
  const isMet = (by: Alternative, alternatives: readonly Alternative[]) =>
    alternatives.some((alternative) => meets(by, alternative));
  return {
    widens: after.every((one) => isMet(one, before)) ? 'no' : 'yes',
    narrows: before.every((one) => isMet(one, after)) ? 'no' : 'yes',
  };
}

/** The scopes by security scheme. All of them are needed; none lets everybody in. */
type Alternative = ReadonlyMap<string, readonly string[]>;

/** No `security` and an empty list say the same as `{}`. Undefined if it isn't a list of requirements. */
function alternativesIn(security: FactChild | undefined): readonly Alternative[] | undefined {
  if (security === undefined) return [new Map()];
  const { source, children } = security.node;
  if (source.kind !== 'list') return undefined;
  const items = Array.from(children.values(), ({ node }) => node);
  if (items.some((item) => item.source.kind !== 'map')) return undefined;
  return items.length === 0 ? [new Map()] : items.map(alternativeOf);
}

function alternativeOf({ children }: FactNode): Alternative {
  const scopesOf = ({ node }: FactChild) => Array.from(node.children.values(), (scope) => scope.node.text);
  return new Map(Array.from(children, ([scheme, scopes]) => [scheme, scopesOf(scopes)]));
}

/** Whether a request that has what `given` asks for has what `wanted` asks for. */
function meets(given: Alternative, wanted: Alternative): boolean {
  return [...wanted].every(([scheme, scopes]) => {
    const known = given.get(scheme);
    return known !== undefined && scopes.every((scope) => known.includes(scope));
  });
}
