import type { Schema, SchemaStore } from './json-schema.js';

type Fields = Readonly<Record<string, unknown>>;

const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired'];
/** Keywords that decide together. Where one of them changed, those beside it are taken over too. */
const TOGETHER: readonly (readonly string[])[] = [
  ['enum', 'const'],
  ['prefixItems', 'items', 'unevaluatedItems'],
  ['contains', 'minContains', 'maxContains'],
];
const FURTHER_PROPERTIES = ['patternProperties', 'additionalProperties', 'unevaluatedProperties'];

/**
 * A schema with one change of another document: it has at these steps what the other has there, and is itself everywhere
 * else.
 */
export function withOneChange(
  schema: Schema,
  other: Schema,
  steps: readonly string[],
  store: SchemaStore,
): Schema {
  const [ours, theirs] = [store.followed(schema), store.followed(other)];
  const [keyword, ...rest] = steps;
  if (keyword === undefined || typeof ours !== 'object' || typeof theirs !== 'object') return other;
  const [part, its] = [fieldOf(ours, keyword), fieldOf(theirs, keyword)];
  if (rest.length === 0) return take(ours, theirs, [keyword]);
  if (keyword === '$ref') {
    if (part === undefined || its === undefined) return take(ours, theirs, ['$ref']);
    const target = withOneChange({ $ref: part as string }, { $ref: its as string }, rest, store);
    return { ...without(ours, ['$ref']), allOf: [...(ours.allOf ?? []), target] };
  }
  if (MAPS.includes(keyword)) return withOneEntry(ours, theirs, steps, store);
  if (Array.isArray(part) && Array.isArray(its)) {
    const index = Number(rest[0]);
    if (index >= part.length || index >= its.length) return take(ours, theirs, [keyword]);
    const item = withOneChange(part[index] as Schema, its[index] as Schema, rest.slice(1), store);
    return { ...ours, [keyword]: part.with(index, item) };
  }
  if (part === undefined || its === undefined) return take(ours, theirs, [keyword]);
  return { ...ours, [keyword]: withOneChange(part as Schema, its as Schema, rest, store) };
}

/** The same where the steps lead to an entry of a map: a property for instance. */
function withOneEntry(ours: object, theirs: object, steps: readonly string[], store: SchemaStore): Schema {
  const [keyword = '', name = '', ...rest] = steps;
  const [entries, others] = [fieldOf(ours, keyword) ?? {}, fieldOf(theirs, keyword) ?? {}];
  const [entry, its] = [fieldOf(entries, name), fieldOf(others, name)];
  if (entry !== undefined && its !== undefined && keyword !== 'dependentRequired') {
    const changed = withOneChange(entry as Schema, its as Schema, rest, store);
    return { ...ours, [keyword]: { ...entries, [name]: changed } };
  }
  const changed = { ...without(entries, [name]), ...(its === undefined ? {} : { [name]: its }) };
  const beside = keyword.startsWith('dependent') ? [] : FURTHER_PROPERTIES.filter((one) => one !== keyword);
  return { ...(take(ours, theirs, beside) as object), [keyword]: changed };
}

function take(ours: object, theirs: object, keywords: readonly string[]): Schema {
  const all = keywords.flatMap((one) => TOGETHER.find((some) => some.includes(one)) ?? [one]);
  const taken = Object.entries(theirs).filter(([keyword]) => all.includes(keyword));
  return { ...without(ours, all), ...Object.fromEntries(taken) };
}

function without(fields: object, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function fieldOf(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields as Fields)[name] : undefined;
}
