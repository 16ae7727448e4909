import { type FactChild, type FactNode, isSame } from '../facts/fact.js';
import { METHODS } from '../facts/openapi-objects.js';
import { ADDITIVE, type Effect, EITHER, modified, NARROWS, NEITHER, UNKNOWN, WIDENS } from './effect.js';
import type { Unit } from './unit.js';

// What the rules need a look at both documents for: the effect of a part that was added, removed or changed.

export function upperBoundChanged({ first, second }: Unit): Effect {
  const [before, after] = [Number(first?.node.text), Number(second?.node.text)];
  if (Number.isNaN(before) || Number.isNaN(after) || before === after) return UNKNOWN;
  return after > before ? WIDENS : NARROWS;
}

export function lowerBoundChanged(unit: Unit): Effect {
  return modified(upperBoundChanged(unit), 'negated');
}

/** For a field that is false by default. */
export function flag(set: Effect, cleared: Effect): (unit: Unit) => Effect {
  return ({ first, second }) => {
    const [before, after] = [first, second].map((child) => child?.node.text ?? 'false');
    if (before === 'false' && after === 'true') return set;
    return before === 'true' && after === 'false' ? cleared : UNKNOWN;
  };
}

/** Before the first operation of a path item, the document said nothing about requests. */
export function operationAdded({ within }: Unit): Effect {
  return METHODS.some((method) => within.first?.children.has(method)) ? WIDENS : UNKNOWN;
}

export function responseRemoved({ field }: Unit): Effect {
  return /^[23]|^default$/.test(field) ? EITHER : NARROWS;
}

/** A parameter is recognised by its name, so that only the case of a header's name may have changed. */
export function nameChanged({ first, second }: Unit): Effect {
  return first?.node.text.toLowerCase() === second?.node.text.toLowerCase() ? NEITHER : UNKNOWN;
}

/** Where further properties are allowed, the new property was allowed before. */
export function propertyAdded({ around }: Unit): Effect {
  const before = furtherProperties(around.first);
  if (before === 'all') return ADDITIVE;
  return before === 'none' ? WIDENS : { widens: 'yes', narrows: 'maybe' };
}

/** Where further properties are allowed, the old property is still allowed. Whoever reads may miss it. */
export function propertyRemoved({ around }: Unit): Effect {
  const after = furtherProperties(around.second);
  if (after === 'all') return { widens: 'maybe', narrows: 'no' };
  return after === 'none' ? NARROWS : { widens: 'maybe', narrows: 'yes' };
}

/** Whether a schema allows any property that it doesn't name, or none. A schema for them may fit it or not. */
function furtherProperties(schema: FactNode | undefined): 'all' | 'some' | 'none' {
  if (schema?.children.has('patternProperties') === true) return 'some';
  return furtherItemsOrProperties(schema, ['additionalProperties', 'unevaluatedProperties']);
}

/** What the first of these keywords that a schema has allows. */
function furtherItemsOrProperties(schema: FactNode | undefined, keywords: readonly string[]) {
  return allowedBy(keywords.map((one) => schema?.children.get(one)).find((child) => child !== undefined));
}

/** A pattern names properties, which `additionalProperties` is no longer about. */
export function patternPropertiesEffect(unit: Unit): Effect {
  const isAlone = [unit.around.first, unit.around.second].every(
    (schema) => furtherItemsOrProperties(schema, ['additionalProperties', 'unevaluatedProperties']) === 'all',
  );
  return isAlone ? schemaEffect(unit) : UNKNOWN;
}

/** An item that `prefixItems` describes is one that `items` isn't about. */
export function prefixItemsEffect(alone: Effect | ((unit: Unit) => Effect)): (unit: Unit) => Effect {
  return (unit) => {
    const isAlone = [unit.around, unit.within].every((pair) =>
      [pair.first, pair.second].every(
        (schema) => furtherItemsOrProperties(schema, ['items', 'unevaluatedItems']) === 'all',
      ),
    );
    if (!isAlone) return UNKNOWN;
    return typeof alone === 'function' ? alone(unit) : alone;
  };
}

export function typeChanged({ first, second }: Unit): Effect {
  return compared(typesOf(first?.node), typesOf(second?.node), (one, other) => one === other);
}

/** Every integer is a number. Undefined if it isn't a type. */
function typesOf(node: FactNode | undefined): readonly string[] | undefined {
  const names: readonly string[] = node?.kind === 'value' ? (node.text.match(/[a-z]+/g) ?? []) : [];
  if (names.length === 0) return undefined;
  return names.includes('number') ? [...names, 'integer'] : names;
}

export function requiredEffect({ first, second }: Unit): Effect {
  const more = compared(namesIn(first), namesIn(second), (one, other) => one === other);
  return modified(more, 'negated');
}

function namesIn(child: FactChild | undefined): readonly unknown[] | undefined {
  if (child === undefined) return [];
  const names: unknown = child.node.kind === 'value' ? JSON.parse(child.node.text) : undefined;
  return Array.isArray(names) ? names : undefined;
}

/** A `const` of one document may stand for the `enum` of the other. */
export function valuesChanged({ first, second, within }: Unit): Effect {
  return compared(valuesOf(first, within.first), valuesOf(second, within.second), isSame);
}

function valuesOf(
  child: FactChild | undefined,
  schema: FactNode | undefined,
): readonly FactNode[] | undefined {
  const isConst = child !== undefined && child === schema?.children.get('const');
  return isConst ? [child.node] : itemsOf(child);
}

/** For lists whose items say what is allowed. */
export function itemsChanged({ first, second }: Unit): Effect {
  return compared(itemsOf(first), itemsOf(second), isSame);
}

/** Undefined if it isn't a list. */
function itemsOf(child: FactChild | undefined): readonly FactNode[] | undefined {
  if (child?.node.source.kind !== 'list') return undefined;
  return Array.from(child.node.children.values(), ({ node }) => node);
}

/** The effect of a change from one list of what is allowed to another; unknown if one of them isn't a list. */
function compared<Item>(
  before: readonly Item[] | undefined,
  after: readonly Item[] | undefined,
  isEqual: (one: Item, other: Item) => boolean,
): Effect {
  if (before === undefined || after === undefined) return UNKNOWN;
  const widens = after.some((item) => !before.some((one) => isEqual(one, item)));
  const narrows = before.some((item) => !after.some((one) => isEqual(one, item)));
  return { widens: widens ? 'yes' : 'no', narrows: narrows ? 'yes' : 'no' };
}

/** What a schema allows, without looking into it. */
function allowedBy(schema: FactChild | undefined): 'all' | 'some' | 'none' {
  const text = schema?.node.kind === 'value' ? schema.node.text : undefined;
  if (schema === undefined || text === 'true' || text === '{}') return 'all';
  return text === 'false' ? 'none' : 'some';
}

export function schemaEffect({ first, second }: Unit): Effect {
  const [before, after] = [allowedBy(first), allowedBy(second)];
  if (before === after) return before === 'some' ? UNKNOWN : NEITHER;
  return before === 'none' || after === 'all' ? WIDENS : NARROWS;
}
