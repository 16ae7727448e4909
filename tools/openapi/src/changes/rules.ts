import type { FactChild } from '../facts/fact.js';
import { isMap, METHODS } from '../facts/openapi-objects.js';
import { EITHER, type Effect, modified, NARROWS, NEITHER, UNKNOWN, WIDENS } from './effect.js';
import { idPartsOf, NO_RULE, ruleId, verbOf } from './rule-id.js';
import { operationSecurityEffect, rootSecurityEffect } from './security-effects.js';
import type { Unit } from './unit.js';
import {
  flag,
  itemsChanged,
  lowerBoundChanged,
  nameChanged,
  operationAdded,
  patternPropertiesEffect,
  prefixItemsEffect,
  propertyAdded,
  propertyRemoved,
  requiredEffect,
  responseRemoved,
  schemaEffect,
  typeChanged,
  upperBoundChanged,
  valuesChanged,
} from './unit-effects.js';

/** The effect of a change, or how it is found out. */
export type EffectOf = Effect | ((unit: Unit) => Effect);

const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const SCHEMAS = ['dependentSchemas.*', 'items', '$ref'];

/** What a change of one kind means. */
export interface Rule {
  /** What changes, in a few words. */
  readonly subject: string;
  /** If only the new document has it. */
  readonly added: EffectOf;
  /** If only the old document has it. */
  readonly removed: EffectOf;
  /** If both have it and differ in it. */
  readonly changed: EffectOf;
  /** If what was added or removed is required. */
  readonly required?: Rule;
}

type Rules = Readonly<Record<string, Rule>>;

const rule = (subject: string, added: EffectOf, removed: EffectOf, changed: EffectOf): Rule => ({
  subject,
  added,
  removed,
  changed,
});
const always = (subject: string, effect: EffectOf) => rule(subject, effect, effect, effect);
/** A keyword that only takes away from what is allowed. */
const constraint = (subject: string, changed: EffectOf) => rule(subject, NARROWS, WIDENS, changed);
/** The same rule for several fields of an object. */
const each = (object: string, fields: readonly string[], ruleOf: (field: string) => Rule): Rules =>
  Object.fromEntries(fields.map((field) => [`${object}.${field}`, ruleOf(field)]));
/** Words for people. Their change breaks nobody. */
const silent = (object: string, ...fields: readonly string[]) =>
  each(object, fields, (field) => always(field, NEITHER));

/** A part that may be left out unless it is required. */
const part = (subject: string, added: EffectOf, removed: EffectOf, requiredAdded: EffectOf): Rule => ({
  ...rule(subject, added, removed, UNKNOWN),
  // Whoever reads a message may rely on what is required in it.
  required: rule(`required ${subject}`, requiredAdded, EITHER, UNKNOWN),
});
const PARAMETER = part('parameter', WIDENS, NARROWS, EITHER);
const HEADER = part('header', NEITHER, NARROWS, NARROWS);

/**
 * The rules by kind, as `kindOf` names it: what changes, and the effect if it is added, removed or changed.
 * `*.field` is for a field of any object that has no row of its own. What has no row is unclassified.
 */
export const RULES: Rules = {
  ...silent('*', 'title', 'summary', 'description', '$comment', 'externalDocs', 'example', 'examples'),
  ...silent('*', 'deprecated'),
  ...silent('openapi', 'tags'),
  ...silent('operation', 'tags'),
  ...silent('info', 'version', 'contact', 'license', 'termsOfService'),

  'openapi.webhooks.*': rule('webhook', WIDENS, EITHER, UNKNOWN),
  'paths.*': rule('path', WIDENS, EITHER, UNKNOWN),
  ...each('path-item', METHODS, (method) =>
    rule(`operation ${method.toUpperCase()}`, operationAdded, EITHER, UNKNOWN),
  ),
  'path-item.parameters.*': PARAMETER,
  'operation.parameters.*': PARAMETER,
  'operation.requestBody': part('request body', WIDENS, NARROWS, EITHER),
  'operation.responses': always('responses', UNKNOWN),
  // A reader treats an unknown status as the first of its class (RFC 9110 §15), which may be right or not.
  'responses.*': rule('response', { widens: 'maybe', narrows: 'no' }, responseRemoved, UNKNOWN),

  'openapi.security': always('security requirement', rootSecurityEffect),
  'operation.security': always('security requirement', operationSecurityEffect),
  'components.securitySchemes.*': rule('security scheme', NEITHER, UNKNOWN, UNKNOWN),
  'security-scheme.type': always('type of the security scheme', EITHER),
  'security-scheme.scheme': always('HTTP scheme', EITHER),
  'security-scheme.in': always('place of the key', EITHER),
  'security-scheme.name': always('name of the key', EITHER),

  '*.style': always('serialisation', EITHER),
  '*.explode': always('serialisation', EITHER),
  '*.allowReserved': always('serialisation', EITHER),
  'parameter.name': always('name', nameChanged),
  'parameter.required': always('obligation to send it', flag(NARROWS, WIDENS)),
  'header.required': always('obligation to send it', flag(NARROWS, WIDENS)),
  'request-body.required': always('obligation to send it', flag(NARROWS, WIDENS)),
  'parameter.allowEmptyValue': always('empty value', flag(WIDENS, NARROWS)),
  'request-body.content.*': rule('media type', WIDENS, NARROWS, UNKNOWN),
  'response.content.*': rule('media type', WIDENS, NARROWS, UNKNOWN),
  'response.headers.*': HEADER,
  'encoding.headers.*': HEADER,

  '*.schema': always('schema', schemaEffect),
  'schema.type': constraint('type', typeChanged),
  'schema.enum': constraint('allowed values', valuesChanged),
  'schema.const': constraint('the only value', EITHER),
  'schema.required': always('required properties', requiredEffect),
  'schema.dependentRequired.*': always('required properties', requiredEffect),
  ...each('schema', UPPER_BOUNDS, () => constraint('upper bound', upperBoundChanged)),
  ...each('schema', LOWER_BOUNDS, () => constraint('lower bound', lowerBoundChanged)),
  'schema.multipleOf': constraint('multiple', UNKNOWN),
  'schema.pattern': constraint('pattern', UNKNOWN),
  'schema.uniqueItems': always('uniqueness of items', flag(NARROWS, WIDENS)),
  'schema.properties.*': rule('property', propertyAdded, propertyRemoved, schemaEffect),
  ...each('schema', SCHEMAS, () => always('schema', schemaEffect)),
  'schema.patternProperties.*': always('schema', patternPropertiesEffect),
  'schema.prefixItems.*': always('schema', prefixItemsEffect(schemaEffect)),
  'schema.prefixItems': rule('schema', prefixItemsEffect(NARROWS), prefixItemsEffect(WIDENS), UNKNOWN),
  'schema.contains': constraint('schema', UNKNOWN),
  'schema.additionalProperties': always('further properties', schemaEffect),
  'schema.unevaluatedProperties': always('further properties', schemaEffect),
  'schema.unevaluatedItems': always('further items', schemaEffect),
  'schema.propertyNames': always('names of properties', schemaEffect),
  'schema.not': constraint('what is not allowed', UNKNOWN),
  'schema.allOf': constraint('schemas that all apply', (unit) => modified(itemsChanged(unit), 'negated')),
  'schema.anyOf': constraint('alternatives', itemsChanged),
  'schema.oneOf': constraint('exclusive alternatives', (unit) => modified(itemsChanged(unit), 'exclusive')),
};

/** A map without entries says what no map says. With the key of the rule. */
export const EMPTY_MAP = ['*.emptyMap', always('empty map', NEITHER)] as const;

/** What a change is about, and its effect where it is. */
export interface Judgement {
  /** See `ruleId`. */
  readonly id: string;
  /** `required header removed` */
  readonly what: string;
  readonly effect: Effect;
}

/** What the rules say of a change. What no rule knows, an extension (`x-`) for instance, is unknown. */
export function judge(unit: Unit): Judgement {
  const verb = verbOf(unit);
  const parts = idPartsOf(unit);
  const [key, found] = ruleFor(unit) ?? [NO_RULE, always(unit.kind, UNKNOWN)];
  const isRequired = parts.isRequired && found.required !== undefined;
  const chosen = isRequired ? (found.required ?? found) : found;
  const effect = chosen[verb];
  return {
    id: ruleId(key, verb, { ...parts, isRequired }),
    what: `${chosen.subject} ${verb}`,
    effect: typeof effect === 'function' ? effect(unit) : effect,
  };
}

/** With its key. */
function ruleFor({ kind, field, first, second }: Unit): readonly [string, Rule] | undefined {
  const known = RULES[kind];
  if (Object.hasOwn(RULES, kind) && known !== undefined) return [kind, known];
  if ((first === undefined || second === undefined) && isEmptyMap(first ?? second)) return EMPTY_MAP;
  const ofAny = `*.${field}`;
  const general = kind.endsWith('.*') || !Object.hasOwn(RULES, ofAny) ? undefined : RULES[ofAny];
  return general && [ofAny, general];
}

/** An empty map that was added or removed as a whole. */
function isEmptyMap(child: FactChild | undefined): boolean {
  const shape = child?.node.shape;
  return (isMap(shape) || shape === 'paths') && child?.node.text === '{}';
}
