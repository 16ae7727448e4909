import type { FactChild, FactNode } from '../facts/fact-node.js';
import { pointerOf, pointerSteps } from '../read/json-pointer.js';
import type { Turn } from './effect.js';

/** Who may be broken. A server implements its document, so nothing is told for it. */
export type Party = 'receiver' | 'sender' | 'client';

/** Who writes and who reads what is said at a place. */
export interface Audience {
  readonly writers: readonly Party[];
  readonly readers: readonly Party[];
}

/** What changed as one: the highest part that only one document has, or a part that has no parts to tell. */
export interface Unit {
  readonly pointer: string;
  /** What the rules call it, as `schema.maximum`, `schema.properties.*` or `paths.*`. */
  readonly kind: string;
  /** Its last step. */
  readonly field: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  /** What it is a part of. */
  readonly within: { readonly first: FactNode | undefined; readonly second: FactNode | undefined };
  /** What that is a part of; the schema, for a property. */
  readonly around: { readonly first: FactNode | undefined; readonly second: FactNode | undefined };
  readonly audience: Audience;
  /** From the outermost to the innermost. */
  readonly turns: readonly Turn[];
}

interface Pair {
  readonly first: FactNode | undefined;
  readonly second: FactNode | undefined;
}

/** Who sends a request and who answers it. */
interface Roles {
  readonly requesters: readonly Party[];
  readonly responders: readonly Party[];
}

const WEBHOOKS: Roles = { requesters: ['sender'], responders: ['receiver'] };
const PATHS: Roles = { requesters: ['client'], responders: [] };

/** The two documents of a comparison. */
export interface Revisions {
  readonly first: FactNode;
  readonly second: FactNode;
}

/**
 * The change that a difference at `pointer` is a part of. Undefined if the difference is only that a map or a
 * list was empty: what came or went in it is told by itself.
 */
export function unitAt(pointer: string, { first, second }: Revisions): Unit | undefined {
  const steps = pointerSteps(pointer);
  let around: Pair = { first: undefined, second: undefined };
  let within: Pair = { first, second };
  let place: Place = { name: 'openapi', roles: rootRoles(within), isResponse: false, turns: [] };
  for (const [index, step] of steps.entries()) {
    const children = { first: within.first?.children.get(step), second: within.second?.children.get(step) };
    const child: Pair = { first: children.first?.node, second: children.second?.node };
    const kind = kindOf(place.name, within, step);
    const roles = rolesIn(place.roles, kind);
    const isResponse = place.isResponse || kind === 'responses.*' || kind === 'operation.responses';
    if (!isLookedInto(child, kind)) {
      return {
        pointer: pointerOf(steps.slice(0, index + 1)),
        kind,
        field: step,
        ...children,
        within,
        around,
        audience: audienceOf(roles, isResponse),
        turns: place.turns,
      };
    }
    place = {
      name: nameOf(child, kind),
      roles,
      isResponse,
      turns: [...place.turns, ...turnsOf(kind, within)],
    };
    around = within;
    within = child;
  }
  return undefined;
}

interface Place {
  readonly name: string;
  readonly roles: Roles;
  readonly isResponse: boolean;
  readonly turns: readonly Turn[];
}

/** What concerns the whole document concerns everybody who takes part in it. */
function rootRoles(root: Pair): Roles {
  const has = (key: string) =>
    [root.first, root.second].some((node) => (node?.children.get(key)?.node.children.size ?? 0) > 0);
  const taking = [...(has('webhooks') ? [WEBHOOKS] : []), ...(has('paths') ? [PATHS] : [])];
  return {
    requesters: taking.flatMap(({ requesters }) => requesters),
    responders: taking.flatMap(({ responders }) => responders),
  };
}

/** A callback turns the roles round: who answered the operation sends the callback's request. */
function rolesIn(roles: Roles, kind: string): Roles {
  if (kind.startsWith('openapi.webhooks')) return WEBHOOKS;
  if (kind.startsWith('openapi.paths') || kind === 'paths.*') return PATHS;
  if (kind !== 'operation.callbacks') return roles;
  return { requesters: roles.responders, responders: roles.requesters };
}

function audienceOf({ requesters, responders }: Roles, isResponse: boolean): Audience {
  return isResponse
    ? { writers: responders, readers: requesters }
    : { writers: requesters, readers: responders };
}

/** An object is called by its name, and a map or a list by the field that it stands in. */
function nameOf({ first, second }: Pair, kind: string): string {
  const shape = (second ?? first)?.shape;
  return shape?.is === 'object' ? shape.name : kind;
}

function kindOf(name: string, { first, second }: Pair, step: string): string {
  const shape = (second ?? first)?.shape;
  if (shape?.is !== 'object') return `${name}.*`;
  const isNamed = !['paths', 'responses', 'callback'].includes(shape.name) || step.startsWith('x-');
  return `${name}.${isNamed ? step : '*'}`;
}

function isLookedInto({ first, second }: Pair, kind: string): boolean {
  const shape = (second ?? first)?.shape;
  if (shape === undefined || !['object', 'map', 'list'].includes(shape.is)) return false;
  if (first === undefined || second === undefined) {
    const isMap = shape.is === 'map' || kind === 'openapi.paths' || kind === 'openapi.components';
    return isMap && (first ?? second)?.kind === 'map';
  }
  if (shape.is !== 'list') return isLike(first, 'map') && isLike(second, 'map');
  return (
    isLike(first, 'list') && isLike(second, 'list') && (!isMatched(kind) || isInOrder(first, second, kind))
  );
}

function isLike({ kind, text, source }: FactNode, wanted: 'map' | 'list'): boolean {
  return kind === wanted || (source.kind === wanted && text === (wanted === 'map' ? '{}' : '[]'));
}

/** Lists whose items are told apart by what they say and not by where they stand. */
function isMatched(kind: string): boolean {
  return /^schema\.(allOf|anyOf|oneOf)$|\.parameters$/.test(kind);
}

/** Whether items that differ are the same ones, changed: nothing came, went or moved. */
function isInOrder(first: FactNode, second: FactNode, kind: string): boolean {
  if (first.children.size !== second.children.size) return false;
  const keys = (node: FactNode) => Array.from(node.children.values(), (item) => itemKey(item.node, kind));
  const [ours, theirs] = [keys(first), keys(second)];
  if (kind.endsWith('.parameters')) return ours.every((key, index) => key === theirs[index]);
  return ours.every(
    (key, index) => key === theirs[index] || (!theirs.includes(key) && !ours.includes(theirs[index] ?? '')),
  );
}

/** What an item of a matched list is recognised by. */
export function itemKey(node: FactNode, kind: string): string {
  if (!kind.endsWith('.parameters')) return String(node.meaning);
  return ['in', 'name'].map((field) => node.children.get(field)?.node.text).join(' ');
}

function turnsOf(kind: string, { first, second }: Pair): readonly Turn[] {
  if (kind === 'schema.not') return ['negated'];
  if (kind === 'schema.oneOf') return ['exclusive'];
  if (kind === 'schema.if') return ['unsure'];
  if (kind === 'schema.contains' && [first, second].some((node) => node?.children.has('maxContains')))
    return ['unsure'];
  if (kind.endsWith('.examples')) return ['silent'];
  // What is not referenced may still be meant by a name: in a discriminator, or from another document.
  if (/^components\.(?!securitySchemes)\w+$/.test(kind)) return ['defined'];
  // What is referenced is told where it is used; a dynamic anchor is used without being seen.
  // So is what a discriminator chooses between, among `oneOf` and `anyOf`.
  if (kind === 'discriminator.mapping') return ['defined'];
  if (kind === 'schema.$defs' || kind === 'schema.definitions') return ['defined'];
  return [];
}
