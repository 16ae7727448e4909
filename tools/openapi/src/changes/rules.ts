import type { FactChild, FactNode } from '../facts/fact-node.js';
import { EITHER, type Effect, joined, NARROWS, NEITHER, turned, UNKNOWN, WIDENS } from './effect.js';
import { itemKey, type Unit } from './unit.js';

/** What a change of one kind means. */
export interface Rule {
  /** What changes, in a few words. */
  readonly subject: string;
  readonly effect: (unit: Unit) => Effect;
}

/** For what only one document has, and for what both have and differ in. */
function rule(subject: string, added: Effect, removed: Effect, changed: Effect): Rule {
  const effect = ({ first, second }: Unit) =>
    first === undefined ? added : second === undefined ? removed : changed;
  return { subject, effect };
}

const nothing = (subject: string) => rule(subject, NEITHER, NEITHER, NEITHER);
const serialisation = rule('serialisation', EITHER, EITHER, EITHER);
const upperBound = bound('upper bound', (before, after) => after > before);
const lowerBound = bound('lower bound', (before, after) => after < before);
const subschema: Rule = {
  subject: 'schema',
  effect: ({ first, second }) => between(allowedBy(first), allowedBy(second)),
};
const pathItem = rule('path item', WIDENS, EITHER, UNKNOWN);
const mediaType = rule('media type', WIDENS, NARROWS, UNKNOWN);
const required = flag('obligation to send it', NARROWS, WIDENS);
const parameters: Rule = { subject: 'parameters', effect: parametersEffect };
const security: Rule = { subject: 'security requirement', effect: securityEffect };

/**
 * By kind, as `unitAt` names it. `*.field` is for a field of any object that has no row of its own. What has
 * no row at all is unclassified.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  '*.title': nothing('title'),
  '*.summary': nothing('summary'),
  '*.description': nothing('description'),
  '*.$comment': nothing('comment'),
  '*.externalDocs': nothing('external documentation'),
  '*.example': nothing('example'),
  '*.examples': nothing('examples'),
  '*.deprecated': nothing('deprecation'),
  'openapi.tags': nothing('tags'),
  'operation.tags': nothing('tags'),
  'info.version': nothing('version of the document'),
  'info.contact': nothing('contact'),
  'info.license': nothing('licence'),
  'info.termsOfService': nothing('terms of service'),
  'openapi.webhooks.*': { ...pathItem, subject: 'webhook' },
  'paths.*': { ...pathItem, subject: 'path' },
  'callback.*': { ...pathItem, subject: 'callback' },
  'operation.callbacks.*': { ...pathItem, subject: 'callback' },
  'path-item.delete': operation('DELETE'),
  'path-item.get': operation('GET'),
  'path-item.head': operation('HEAD'),
  'path-item.options': operation('OPTIONS'),
  'path-item.patch': operation('PATCH'),
  'path-item.post': operation('POST'),
  'path-item.put': operation('PUT'),
  'path-item.trace': operation('TRACE'),
  'path-item.parameters': parameters,
  'operation.parameters': parameters,
  'operation.requestBody': { subject: 'request body', effect: bodyEffect },
  'operation.responses': rule('responses', UNKNOWN, UNKNOWN, UNKNOWN),
  'responses.*': { subject: 'response', effect: responseEffect },
  'openapi.security': security,
  'operation.security': security,
  'components.securitySchemes.*': rule('security scheme', NEITHER, UNKNOWN, UNKNOWN),
  'security-scheme.type': rule('type of the security scheme', EITHER, EITHER, EITHER),
  'security-scheme.scheme': rule('HTTP scheme', EITHER, EITHER, EITHER),
  'security-scheme.in': rule('place of the key', EITHER, EITHER, EITHER),
  'security-scheme.name': rule('name of the key', EITHER, EITHER, EITHER),
  'parameter.required': required,
  'header.required': required,
  'request-body.required': required,
  'parameter.allowEmptyValue': flag('empty value', WIDENS, NARROWS),
  'parameter.schema': subschema,
  'header.schema': subschema,
  'media-type.schema': subschema,
  'parameter.style': serialisation,
  'parameter.explode': serialisation,
  'parameter.allowReserved': serialisation,
  'header.explode': serialisation,
  'encoding.style': serialisation,
  'encoding.explode': serialisation,
  'encoding.allowReserved': serialisation,
  'request-body.content.*': mediaType,
  'response.content.*': mediaType,
  'response.headers.*': { subject: 'header', effect: headerEffect },
  'schema.type': { subject: 'type', effect: typeEffect },
  'schema.enum': { subject: 'allowed values', effect: enumEffect },
  'schema.const': rule('the only value', NARROWS, WIDENS, EITHER),
  'schema.required': { subject: 'required properties', effect: requiredEffect },
  'schema.dependentRequired.*': { subject: 'required properties', effect: requiredEffect },
  'schema.maximum': upperBound,
  'schema.exclusiveMaximum': upperBound,
  'schema.maxLength': upperBound,
  'schema.maxItems': upperBound,
  'schema.maxProperties': upperBound,
  'schema.maxContains': upperBound,
  'schema.minimum': lowerBound,
  'schema.exclusiveMinimum': lowerBound,
  'schema.minLength': lowerBound,
  'schema.minItems': lowerBound,
  'schema.minProperties': lowerBound,
  'schema.multipleOf': rule('multiple', NARROWS, WIDENS, UNKNOWN),
  'schema.pattern': rule('pattern', NARROWS, WIDENS, UNKNOWN),
  'schema.uniqueItems': flag('uniqueness of items', NARROWS, WIDENS),
  'schema.properties.*': { subject: 'property', effect: propertyEffect },
  'schema.patternProperties.*': subschema,
  'schema.dependentSchemas.*': subschema,
  'schema.prefixItems.*': subschema,
  'schema.prefixItems': rule('schema', NARROWS, WIDENS, UNKNOWN),
  'schema.items': subschema,
  'schema.contains': rule('schema', NARROWS, WIDENS, UNKNOWN),
  'schema.additionalProperties': { ...subschema, subject: 'further properties' },
  'schema.unevaluatedProperties': { ...subschema, subject: 'further properties' },
  'schema.unevaluatedItems': { ...subschema, subject: 'further items' },
  'schema.propertyNames': { ...subschema, subject: 'names of properties' },
  'schema.$ref': subschema,
  'schema.$dynamicRef': subschema,
  'schema.not': rule('what is not allowed', NARROWS, WIDENS, UNKNOWN),
  'schema.allOf': branches('schemas that all hold', (effect) => turned(effect, 'negated')),
  'schema.anyOf': branches('alternatives', (effect) => effect),
  'schema.oneOf': branches('exclusive alternatives', (effect) => turned(effect, 'exclusive')),
};

const emptyMap = nothing('empty map');

/** The rule for a kind of change; undefined if there is none, for an extension (`x-`) for instance. */
export function ruleFor({ kind, field, first, second }: Unit): Rule | undefined {
  if (Object.hasOwn(RULES, kind)) return RULES[kind];
  if ((first === undefined || second === undefined) && isEmptyMap(first ?? second)) return emptyMap;
  const ofAny = `*.${field}`;
  return !kind.endsWith('.*') && Object.hasOwn(RULES, ofAny) ? RULES[ofAny] : undefined;
}

/** A map of parts that has none, where there was no map or is none any more. */
function isEmptyMap(child: FactChild | undefined): boolean {
  const shape = child?.node.shape;
  const isMap = shape?.is === 'map' || (shape?.is === 'object' && shape.name === 'paths');
  return isMap && child?.node.text === '{}';
}

function bound(subject: string, isWider: (before: number, after: number) => boolean): Rule {
  const effect = ({ first, second }: Unit): Effect => {
    if (first === undefined) return NARROWS;
    if (second === undefined) return WIDENS;
    const [before, after] = [Number(first.node.text), Number(second.node.text)];
    if (Number.isNaN(before) || Number.isNaN(after) || before === after) return UNKNOWN;
    return isWider(before, after) ? WIDENS : NARROWS;
  };
  return { subject, effect };
}

/** A field that is false unless it says `true`. */
function flag(subject: string, set: Effect, cleared: Effect): Rule {
  const effect = ({ first, second }: Unit): Effect => {
    const [before, after] = [first, second].map((child) => child?.node.text ?? 'false');
    if (before === 'false' && after === 'true') return set;
    return before === 'true' && after === 'false' ? cleared : UNKNOWN;
  };
  return { subject, effect };
}

/** The first operation of a path item takes the place of nothing at all, which any request would have fitted. */
function operation(method: string): Rule {
  const effect = ({ first, second, within }: Unit): Effect => {
    if (first !== undefined) return second === undefined ? EITHER : UNKNOWN;
    const fields = [...(within.first?.children.keys() ?? [])];
    return fields.some((field) => Object.hasOwn(RULES, `path-item.${field}`) && field !== 'parameters')
      ? WIDENS
      : UNKNOWN;
  };
  return { subject: `operation ${method}`, effect };
}

function bodyEffect({ first, second }: Unit): Effect {
  if (first !== undefined && second !== undefined) return UNKNOWN;
  const isRequired = isSet(first ?? second, 'required');
  if (isRequired) return EITHER;
  return first === undefined ? WIDENS : NARROWS;
}

/** Who reads a status that is new takes it for the first of its class (RFC 9110 §15), which may do or not. */
function responseEffect({ first, second, field }: Unit): Effect {
  if (first === undefined) return { widens: 'maybe', narrows: 'no' };
  if (second !== undefined) return UNKNOWN;
  return /^[23]|^default$/.test(field) ? EITHER : NARROWS;
}

function headerEffect({ first, second }: Unit): Effect {
  if (first === undefined) return isSet(second, 'required') ? NARROWS : NEITHER;
  if (second !== undefined) return UNKNOWN;
  return isSet(first, 'required') ? EITHER : NARROWS;
}

function parametersEffect({ first, second, kind }: Unit): Effect {
  const [before, after] = [itemsByKey(first, kind), itemsByKey(second, kind)];
  if (before === undefined || after === undefined) return UNKNOWN;
  let effect = NEITHER;
  for (const [key, node] of after) {
    const known = before.get(key);
    const isRequired = node.children.get('required')?.node.text === 'true';
    if (known === undefined) effect = joined(effect, isRequired ? EITHER : WIDENS);
    else if (known.meaning !== node.meaning) effect = joined(effect, UNKNOWN);
  }
  return [...before.keys()].every((key) => after.has(key)) ? effect : joined(effect, NARROWS);
}

/** The alternatives of a requirement; without any, everybody is let in. */
function securityEffect({ first, second, kind }: Unit): Effect {
  if (kind === 'operation.security' && (first === undefined || second === undefined)) return UNKNOWN;
  const before = first === undefined ? new Set<number>() : meanings(first);
  const after = second === undefined ? new Set<number>() : meanings(second);
  if (before === undefined || after === undefined) return UNKNOWN;
  if (before.size === 0) return after.size === 0 ? NEITHER : NARROWS;
  return after.size === 0 ? WIDENS : compareSets(before, after);
}

function propertyEffect(unit: Unit): Effect {
  const { first, second, around } = unit;
  if (first !== undefined && second !== undefined) return subschema.effect(unit);
  const [before, after] = [furtherProperties(around.first), furtherProperties(around.second)];
  const isSure = before !== 'some' && after !== 'some';
  if (first === undefined) return isSure ? WIDENS : { widens: 'yes', narrows: 'maybe' };
  return isSure ? NARROWS : { widens: 'maybe', narrows: 'yes' };
}

function furtherProperties(schema: FactNode | undefined): Allowed {
  const fields = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];
  const given = fields.map((field) => schema?.children.get(field)).find((child) => child !== undefined);
  return allowedBy(given);
}

function typeEffect({ first, second }: Unit): Effect {
  if (first === undefined) return NARROWS;
  if (second === undefined) return WIDENS;
  return compareSets(typesOf(first.node), typesOf(second.node));
}

/** Every integer is a number. */
function typesOf({ kind, text }: FactNode): ReadonlySet<string> | undefined {
  const names: readonly string[] = text.match(/[a-z]+/g) ?? [];
  if (kind !== 'value' || names.length === 0) return undefined;
  return new Set(names.includes('number') ? [...names, 'integer'] : names);
}

function enumEffect({ first, second }: Unit): Effect {
  if (first === undefined) return NARROWS;
  if (second === undefined) return WIDENS;
  return compareSets(meanings(first), meanings(second));
}

function requiredEffect({ first, second }: Unit): Effect {
  return turned(compareSets(namesIn(first), namesIn(second)), 'negated');
}

function namesIn(child: FactChild | undefined): ReadonlySet<unknown> | undefined {
  if (child === undefined) return new Set();
  const names: unknown = child.node.kind === 'value' ? JSON.parse(child.node.text) : undefined;
  return Array.isArray(names) ? new Set(names) : undefined;
}

/** Schemas that stand beside one another: one more keyword narrows, whatever is in it. */
function branches(subject: string, turn: (effect: Effect) => Effect): Rule {
  const effect = ({ first, second }: Unit): Effect => {
    if (first === undefined) return NARROWS;
    if (second === undefined) return WIDENS;
    return turn(compareSets(meanings(first), meanings(second)));
  };
  return { subject, effect };
}

/** What a schema allows, as far as it can be told at a glance. */
type Allowed = 'all' | 'some' | 'none';

function allowedBy(schema: FactChild | undefined): Allowed {
  const text = schema?.node.kind === 'value' ? schema.node.text : undefined;
  if (schema === undefined || text === 'true' || text === '{}') return 'all';
  return text === 'false' ? 'none' : 'some';
}

function between(before: Allowed, after: Allowed): Effect {
  if (before === after) return before === 'some' ? UNKNOWN : NEITHER;
  if (before === 'none' || after === 'all') return WIDENS;
  return NARROWS;
}

/** Of two sets of what is allowed; unknown if one of them is no set. */
function compareSets<Item>(
  before: ReadonlySet<Item> | undefined,
  after: ReadonlySet<Item> | undefined,
): Effect {
  if (before === undefined || after === undefined) return UNKNOWN;
  const widens = [...after].some((item) => !before.has(item));
  const narrows = [...before].some((item) => !after.has(item));
  return { widens: widens ? 'yes' : 'no', narrows: narrows ? 'yes' : 'no' };
}

/** What the items of a list say; undefined for what is no list. */
function meanings(child: FactChild | undefined): ReadonlySet<number> | undefined {
  if (child?.node.source.kind !== 'list') return undefined;
  return new Set(Array.from(child.node.children.values(), ({ node }) => node.meaning));
}

/** Undefined if two items are recognised by the same key. */
function itemsByKey(child: FactChild | undefined, kind: string): Map<string, FactNode> | undefined {
  const items = [...(child?.node.children.values() ?? [])];
  const byKey = new Map(items.map(({ node }) => [itemKey(node, kind), node]));
  return byKey.size === items.length ? byKey : undefined;
}

function isSet(child: FactChild | undefined, field: string): boolean {
  return child?.node.children.get(field)?.node.text === 'true';
}
