import type { FactChild } from '../facts/fact.js';
import { isMap } from '../facts/openapi-objects.js';
import { EITHER, type Effect, NARROWS, NEITHER, turned, UNKNOWN, WIDENS } from './effect.js';
import type { Unit } from './unit.js';
import {
  flag,
  headerAdded,
  headerRemoved,
  itemsChanged,
  lowerBoundChanged,
  operationAdded,
  parametersEffect,
  propertyAdded,
  propertyRemoved,
  requiredEffect,
  responseRemoved,
  schemaEffect,
  securityEffect,
  typeChanged,
  unlessRequired,
  upperBoundChanged,
} from './unit-effects.js';

/** The effect of a change, or how it is found out. */
type EffectOf = Effect | ((unit: Unit) => Effect);

/** What a change of one kind means. */
interface Rule {
  /** What changes, in a few words. */
  readonly subject: string;
  /** If only the new document has it. */
  readonly added: EffectOf;
  /** If only the old document has it. */
  readonly removed: EffectOf;
  /** If both have it and differ in it. */
  readonly changed: EffectOf;
}

const rule = (subject: string, added: EffectOf, removed: EffectOf, changed: EffectOf): Rule => ({
  subject,
  added,
  removed,
  changed,
});
const always = (subject: string, effect: EffectOf) => rule(subject, effect, effect, effect);
const silent = (subject: string) => always(subject, NEITHER);
/** A keyword that only takes away from what is allowed. */
const constraint = (subject: string, changed: EffectOf) => rule(subject, NARROWS, WIDENS, changed);
const operation = (method: string) => rule(`operation ${method}`, operationAdded, EITHER, UNKNOWN);
const pathItem = (subject: string) => rule(subject, WIDENS, EITHER, UNKNOWN);

/**
 * The rules by kind, as `unitAt` names it: what changes, and the effect if it is added, removed or changed.
 * `*.field` is for a field of any object that has no row of its own. What has no row is unclassified.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  '*.title': silent('title'),
  '*.summary': silent('summary'),
  '*.description': silent('description'),
  '*.$comment': silent('comment'),
  '*.externalDocs': silent('external documentation'),
  '*.example': silent('example'),
  '*.examples': silent('examples'),
  '*.deprecated': silent('deprecation'),
  'openapi.tags': silent('tags'),
  'operation.tags': silent('tags'),
  'info.version': silent('version of the document'),
  'info.contact': silent('contact'),
  'info.license': silent('licence'),
  'info.termsOfService': silent('terms of service'),

  'openapi.webhooks.*': pathItem('webhook'),
  'paths.*': pathItem('path'),
  'callback.*': pathItem('callback'),
  'operation.callbacks.*': pathItem('callback'),
  'path-item.delete': operation('DELETE'),
  'path-item.get': operation('GET'),
  'path-item.head': operation('HEAD'),
  'path-item.options': operation('OPTIONS'),
  'path-item.patch': operation('PATCH'),
  'path-item.post': operation('POST'),
  'path-item.put': operation('PUT'),
  'path-item.trace': operation('TRACE'),
  'path-item.parameters': always('parameters', parametersEffect),
  'operation.parameters': always('parameters', parametersEffect),
  'operation.requestBody': rule('request body', unlessRequired(WIDENS), unlessRequired(NARROWS), UNKNOWN),
  'operation.responses': always('responses', UNKNOWN),
  // A reader treats an unknown status as the first of its class (RFC 9110 §15), which may be right or not.
  'responses.*': rule('response', { widens: 'maybe', narrows: 'no' }, responseRemoved, UNKNOWN),

  'openapi.security': always('security requirement', securityEffect),
  'operation.security': rule('security requirement', UNKNOWN, UNKNOWN, securityEffect),
  'components.securitySchemes.*': rule('security scheme', NEITHER, UNKNOWN, UNKNOWN),
  'security-scheme.type': always('type of the security scheme', EITHER),
  'security-scheme.scheme': always('HTTP scheme', EITHER),
  'security-scheme.in': always('place of the key', EITHER),
  'security-scheme.name': always('name of the key', EITHER),

  'parameter.required': always('obligation to send it', flag(NARROWS, WIDENS)),
  'header.required': always('obligation to send it', flag(NARROWS, WIDENS)),
  'request-body.required': always('obligation to send it', flag(NARROWS, WIDENS)),
  'parameter.allowEmptyValue': always('empty value', flag(WIDENS, NARROWS)),
  'parameter.style': always('serialisation', EITHER),
  'parameter.explode': always('serialisation', EITHER),
  'parameter.allowReserved': always('serialisation', EITHER),
  'header.explode': always('serialisation', EITHER),
  'encoding.style': always('serialisation', EITHER),
  'encoding.explode': always('serialisation', EITHER),
  'encoding.allowReserved': always('serialisation', EITHER),
  'request-body.content.*': rule('media type', WIDENS, NARROWS, UNKNOWN),
  'response.content.*': rule('media type', WIDENS, NARROWS, UNKNOWN),
  'response.headers.*': rule('header', headerAdded, headerRemoved, UNKNOWN),

  'parameter.schema': always('schema', schemaEffect),
  'header.schema': always('schema', schemaEffect),
  'media-type.schema': always('schema', schemaEffect),
  'schema.type': constraint('type', typeChanged),
  'schema.enum': constraint('allowed values', itemsChanged),
  'schema.const': constraint('the only value', EITHER),
  'schema.required': always('required properties', requiredEffect),
  'schema.dependentRequired.*': always('required properties', requiredEffect),
  'schema.maximum': constraint('upper bound', upperBoundChanged),
  'schema.exclusiveMaximum': constraint('upper bound', upperBoundChanged),
  'schema.maxLength': constraint('upper bound', upperBoundChanged),
  'schema.maxItems': constraint('upper bound', upperBoundChanged),
  'schema.maxProperties': constraint('upper bound', upperBoundChanged),
  'schema.maxContains': constraint('upper bound', upperBoundChanged),
  'schema.minimum': constraint('lower bound', lowerBoundChanged),
  'schema.exclusiveMinimum': constraint('lower bound', lowerBoundChanged),
  'schema.minLength': constraint('lower bound', lowerBoundChanged),
  'schema.minItems': constraint('lower bound', lowerBoundChanged),
  'schema.minProperties': constraint('lower bound', lowerBoundChanged),
  'schema.multipleOf': constraint('multiple', UNKNOWN),
  'schema.pattern': constraint('pattern', UNKNOWN),
  'schema.uniqueItems': always('uniqueness of items', flag(NARROWS, WIDENS)),
  'schema.properties.*': rule('property', propertyAdded, propertyRemoved, schemaEffect),
  'schema.patternProperties.*': always('schema', schemaEffect),
  'schema.dependentSchemas.*': always('schema', schemaEffect),
  'schema.prefixItems.*': always('schema', schemaEffect),
  'schema.prefixItems': constraint('schema', UNKNOWN),
  'schema.items': always('schema', schemaEffect),
  'schema.contains': constraint('schema', UNKNOWN),
  'schema.additionalProperties': always('further properties', schemaEffect),
  'schema.unevaluatedProperties': always('further properties', schemaEffect),
  'schema.unevaluatedItems': always('further items', schemaEffect),
  'schema.propertyNames': always('names of properties', schemaEffect),
  'schema.$ref': always('schema', schemaEffect),
  'schema.not': constraint('what is not allowed', UNKNOWN),
  'schema.allOf': constraint('schemas that all apply', (unit) => turned(itemsChanged(unit), 'negated')),
  'schema.anyOf': constraint('alternatives', itemsChanged),
  'schema.oneOf': constraint('exclusive alternatives', (unit) => turned(itemsChanged(unit), 'exclusive')),
};

/** What a change is about, and its effect where it is. */
export interface Judgement {
  readonly subject: string;
  readonly effect: Effect;
}

/** What the rules say of a change. What no rule knows, an extension (`x-`) for instance, is unknown. */
export function judge(unit: Unit): Judgement {
  const { kind, first, second } = unit;
  const found = ruleFor(unit);
  if (found === undefined) return { subject: kind, effect: UNKNOWN };
  const { subject, added, removed, changed } = found;
  const effect = first === undefined ? added : second === undefined ? removed : changed;
  return { subject, effect: typeof effect === 'function' ? effect(unit) : effect };
}

function ruleFor({ kind, field, first, second }: Unit): Rule | undefined {
  if (Object.hasOwn(RULES, kind)) return RULES[kind];
  if ((first === undefined || second === undefined) && isEmptyMap(first ?? second))
    return silent('empty map');
  const ofAny = `*.${field}`;
  return !kind.endsWith('.*') && Object.hasOwn(RULES, ofAny) ? RULES[ofAny] : undefined;
}

/** An empty map that was added or removed as a whole. */
function isEmptyMap(child: FactChild | undefined): boolean {
  const shape = child?.node.shape;
  return (isMap(shape) || shape === 'paths') && child?.node.text === '{}';
}
