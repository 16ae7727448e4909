import { type FactChild, type FactNode, isSame } from '../facts/fact.js';
import { isList, isMap, isObject, type Shape } from '../facts/openapi-objects.js';
import { pointerOf, pointerSteps } from '../read/json-pointer.js';
import type { Modifier } from './effect.js';

/** Who may be broken. A server implements its document, so it isn't listed. */
export type Party = 'receiver' | 'sender' | 'client';

/** Who writes and who reads what is said at a place. */
export interface Audience {
  readonly writers: readonly Party[];
  readonly readers: readonly Party[];
}

/** The two documents at one place. */
export interface Pair {
  readonly first: FactNode | undefined;
  readonly second: FactNode | undefined;
}

/** What changed as one: the highest part that only one document has, or a part that has no parts of its own. */
export interface Unit {
  readonly pointer: string;
  /** What the rules call it, as `schema.maximum`, `schema.properties.*` or `paths.*`. */
  readonly kind: string;
  /** Its last step. */
  readonly field: string;
  readonly first: FactChild | undefined;
  readonly second: FactChild | undefined;
  /** What it is a part of. */
  readonly within: Pair;
  /** What that is a part of; the schema, for a property. */
  readonly around: Pair;
  /** The whole documents. */
  readonly root: Pair;
  readonly audience: Audience;
  /** From the outermost to the innermost. */
  readonly modifiers: readonly Modifier[];
}

/** Who sends a request and who responds to it. */
interface Roles {
  readonly requesters: readonly Party[];
  readonly responders: readonly Party[];
}

const WEBHOOKS: Roles = { requesters: ['sender'], responders: ['receiver'] };
const PATHS: Roles = { requesters: ['client'], responders: [] };

/** What is known on the way to a unit. */
interface Context {
  readonly name: string;
  readonly roles: Roles;
  readonly isResponse: boolean;
  readonly modifiers: readonly Modifier[];
}

/**
 * The change that a difference at `pointer` is a part of. Undefined if the difference is only that a map or a
 * list was empty: what was added to it or removed from it is a change of its own.
 */
export function unitAt(pointer: string, root: Pair): Unit | undefined {
  const steps = pointerSteps(pointer);
  let around: Pair = { first: undefined, second: undefined };
  let within = root;
  let context: Context = { name: 'openapi', roles: rootRoles(root), isResponse: false, modifiers: [] };
  for (const [index, step] of steps.entries()) {
    const children = { first: within.first?.children.get(step), second: within.second?.children.get(step) };
    const child: Pair = { first: children.first?.node, second: children.second?.node };
    const kind = kindOf(context.name, within, step);
    const roles = rolesIn(context.roles, kind);
    const isResponse = context.isResponse || kind === 'responses.*' || kind === 'operation.responses';
    const { modifiers } = context;
    if (!isLookedInto(child, kind)) {
      const audience = audienceOf(roles, isResponse);
      const place = pointerOf(steps.slice(0, index + 1));
      return { pointer: place, kind, field: step, ...children, within, around, root, audience, modifiers };
    }
    context = {
      name: nameOf(child, kind),
      roles,
      isResponse,
      modifiers: [...modifiers, ...modifiersOf(kind)],
    };
    around = within;
    within = child;
  }
  return undefined;
}

/** What concerns the whole document concerns everybody who takes part in it. */
function rootRoles({ first, second }: Pair): Roles {
  const has = (key: string) =>
    [first, second].some((node) => (node?.children.get(key)?.node.children.size ?? 0) > 0);
  const taking = [...(has('webhooks') ? [WEBHOOKS] : []), ...(has('paths') ? [PATHS] : [])];
  return {
    requesters: taking.flatMap(({ requesters }) => requesters),
    responders: taking.flatMap(({ responders }) => responders),
  };
}

function rolesIn(roles: Roles, kind: string): Roles {
  if (kind.startsWith('openapi.webhooks')) return WEBHOOKS;
  return kind.startsWith('openapi.paths') || kind === 'paths.*' ? PATHS : roles;
}

function audienceOf({ requesters, responders }: Roles, isResponse: boolean): Audience {
  return isResponse
    ? { writers: responders, readers: requesters }
    : { writers: requesters, readers: responders };
}

function shapeOf({ first, second }: Pair): Shape | undefined {
  return (second ?? first)?.shape;
}

/** An object is called by its name, and a map or a list by the field that it stands in. */
function nameOf(pair: Pair, kind: string): string {
  const shape = shapeOf(pair);
  return isObject(shape) ? shape : kind;
}

function kindOf(name: string, pair: Pair, step: string): string {
  const shape = shapeOf(pair);
  if (!isObject(shape)) return `${name}.*`;
  const isNamed = !['paths', 'responses'].includes(shape) || step.startsWith('x-');
  return `${name}.${isNamed ? step : '*'}`;
}

function isLookedInto(pair: Pair, kind: string): boolean {
  const { first, second } = pair;
  const shape = shapeOf(pair);
  if (first === undefined || second === undefined) {
    const isMapOfParts = isMap(shape) || kind === 'openapi.paths' || kind === 'openapi.components';
    return isMapOfParts && (first ?? second)?.kind === 'map';
  }
  if (isObject(shape) || isMap(shape)) return isLike(first, 'map') && isLike(second, 'map');
  if (!isList(shape) || !isLike(first, 'list') || !isLike(second, 'list')) return false;
  return !isMatched(kind) || isInOrder(first, second, kind);
}

function isLike({ kind, text, source }: FactNode, wanted: 'map' | 'list'): boolean {
  return kind === wanted || (source.kind === wanted && text === (wanted === 'map' ? '{}' : '[]'));
}

/** Lists whose items are recognised by what they state, not by their position. */
function isMatched(kind: string): boolean {
  return /^schema\.(allOf|anyOf|oneOf)$|\.parameters$/.test(kind);
}

/** Whether items that differ are the same ones, changed: nothing came, went or moved. */
function isInOrder(first: FactNode, second: FactNode, kind: string): boolean {
  const [ours, theirs] = [first, second].map((node) =>
    Array.from(node.children.values(), (item) => item.node),
  );
  if (ours === undefined || theirs === undefined || ours.length !== theirs.length) return false;
  const areParameters = kind.endsWith('.parameters');
  return ours.every((one, index) => {
    const other = theirs[index];
    if (other === undefined) return false;
    if (areParameters) return parameterKey(one) === parameterKey(other);
    if (isSame(one, other)) return true;
    return !theirs.some((node) => isSame(one, node)) && !ours.some((node) => isSame(node, other));
  });
}

/** What a parameter is recognised by. */
export function parameterKey(parameter: FactNode): string {
  return ['in', 'name'].map((field) => parameter.children.get(field)?.node.text).join(' ');
}

/** The modifier of a change below one of these; see `Modifier`. */
const MODIFIERS: Readonly<Record<string, Modifier>> = {
  'schema.not': 'negated',
  'schema.oneOf': 'exclusive',
  'schema.if': 'unsure',
  'schema.$defs': 'defined',
  'schema.definitions': 'defined',
  'schema.contains': 'unsure',
};

function modifiersOf(kind: string): readonly Modifier[] {
  if (/^components\.(?!securitySchemes)/.test(kind)) return ['defined'];
  if (kind.endsWith('.examples')) return ['silent'];
  const modifier = Object.hasOwn(MODIFIERS, kind) ? MODIFIERS[kind] : undefined;
  return modifier === undefined ? [] : [modifier];
}
