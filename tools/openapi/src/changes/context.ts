import { isMap, isObject, type Shape } from '../facts/openapi-objects.js';
import { type Modifier, signatureOf } from './effect.js';
import type { Audience, Pair, Party } from './unit.js';

/** Who sends a request and who responds to it. */
interface Roles {
  readonly requesters: readonly Party[];
  readonly responders: readonly Party[];
}

const WEBHOOKS: Roles = { requesters: ['sender'], responders: ['receiver'] };
const PATHS: Roles = { requesters: ['client'], responders: [] };

/** What the way to a part says about a change in it. */
export interface Context {
  /** What the kinds of its parts start with: the name of an object, or the kind of a map or a list. */
  readonly name: string;
  readonly roles: Roles;
  readonly isResponse: boolean;
  /** From the outermost to the innermost. */
  readonly modifiers: readonly Modifier[];
}

export function contextOfRoot(root: Pair): Context {
  return { name: 'openapi', roles: rootRoles(root), isResponse: false, modifiers: [] };
}

/** The context of a part of this kind. `name` is for the parts below it. */
export function contextBelow(context: Context, kind: string, part: Pair): Context {
  const shape = shapeOf(part);
  return {
    name: isObject(shape) ? shape : kind,
    roles: rolesIn(context.roles, kind),
    isResponse: context.isResponse || kind === 'responses.*' || kind === 'operation.responses',
    modifiers: [...context.modifiers, ...modifiersOf(kind), ...(hasUnevaluated(part) ? UNEVALUATED : [])],
  };
}

/** Of a part of this kind: `unevaluatedProperties` isn't beside itself. */
export function modifiersAt({ modifiers }: Context, kind: string): readonly Modifier[] {
  return /^schema\.unevaluated/.test(kind) ? modifiers.slice(0, -UNEVALUATED.length) : modifiers;
}

const UNEVALUATED: readonly Modifier[] = ['unevaluated'];

function hasUnevaluated({ first, second }: Pair): boolean {
  return [first, second].some(
    (node) =>
      node?.shape === 'schema' &&
      (node.children.has('unevaluatedProperties') || node.children.has('unevaluatedItems')),
  );
}

/** The context of what has no effect. */
export function silenced(context: Context): Context {
  return { ...context, modifiers: [...context.modifiers, 'silent'] };
}

/** The same text for contexts in which a change means the same. */
export function keyOf({ name, roles, isResponse, modifiers }: Context): string {
  return [name, roles.requesters.join('+'), isResponse, signatureOf(modifiers)].join(' ');
}

/** What the rules call a part: `schema.maximum`, and `schema.properties.*` where the author chose its name. */
export function kindOf({ name }: Context, within: Pair, step: string): string {
  const shape = shapeOf(within);
  if (!isObject(shape)) return `${name}.*`;
  const isNamed = !['paths', 'responses'].includes(shape) || step.startsWith('x-');
  return `${name}.${isNamed ? step : '*'}`;
}

export function audienceOf({ roles, isResponse }: Context): Audience {
  const { requesters, responders } = roles;
  return isResponse
    ? { writers: responders, readers: requesters }
    : { writers: requesters, readers: responders };
}

/** What stands there in the new document, or else in the old one. */
export function shapeOf({ first, second }: Pair): Shape | undefined {
  return (second ?? first)?.shape;
}

/** Whether a part of this kind is a map of parts that each change by themselves, even if only one document has it. */
export function isMapOfParts(kind: string, part: Pair): boolean {
  return isMap(shapeOf(part)) || kind === 'openapi.paths' || kind === 'openapi.components';
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

/** The modifier of a change below one of these; see `Modifier`. */
const MODIFIERS: Readonly<Record<string, Modifier>> = {
  'schema.not': 'negated',
  'schema.oneOf': 'exclusive',
  'schema.if': 'unsure',
  'schema.$defs': 'defined',
  'schema.definitions': 'defined',
  'schema.contains': 'unsure',
};

/** Whether something of this kind defines parts for others, which use them by a reference. */
export function isDefinitions(kind: string): boolean {
  const isSection = kind.startsWith('components.') && !/^components\.(securitySchemes|x-)/.test(kind);
  return isSection || modifiersOf(kind).includes('defined');
}

function modifiersOf(kind: string): readonly Modifier[] {
  if (/^components\.(?!securitySchemes)/.test(kind)) return ['defined'];
  if (kind.endsWith('.examples')) return ['silent'];
  const modifier = Object.hasOwn(MODIFIERS, kind) ? MODIFIERS[kind] : undefined;
  return modifier === undefined ? [] : [modifier];
}
