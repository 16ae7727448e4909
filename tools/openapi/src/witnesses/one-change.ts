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

/** A schema, its counterpart in the other document, and the steps that lead on from both. */
interface Descent {
  readonly schema: Schema;
  readonly other: Schema;
  readonly steps: readonly string[];
}

/** One step down: where it leads, and what the schema above is once the one below has changed. */
interface Step extends Descent {
  readonly around: (changed: Schema) => Schema;
}

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
  const above: Step['around'][] = [];
  // A loop, because the steps may be more than the call stack is deep.
  let next = stepInto({ schema, other, steps }, store);
  for (; isStep(next); next = stepInto(next, store)) above.push(next.around);
  return above.reduceRight<Schema>((changed, around) => around(changed), next);
}

function isStep(next: Step | Schema): next is Step {
  return typeof next === 'object' && typeof (next as Partial<Step>).around === 'function';
}

/** The next step, or the changed schema if there is none. */
function stepInto({ schema, other, steps }: Descent, store: SchemaStore): Step | Schema {
  const [ours, theirs] = [store.followed(schema), store.followed(other)];
  const [keyword, ...rest] = steps;
  if (keyword === undefined || typeof ours !== 'object' || typeof theirs !== 'object') return other;
  const [part, its] = [fieldOf(ours, keyword), fieldOf(theirs, keyword)];
  if (rest.length === 0) return take(ours, theirs, [keyword]);
  if (keyword === '$ref') {
    if (part === undefined || its === undefined) return take(ours, theirs, ['$ref']);
    const around = (target: Schema): Schema => ({
      ...without(ours, ['$ref']),
      allOf: [...(ours.allOf ?? []), target],
    });
    return { schema: { $ref: part as string }, other: { $ref: its as string }, steps: rest, around };
  }
  if (MAPS.includes(keyword)) return stepIntoEntry(ours, theirs, steps);
  if (Array.isArray(part) && Array.isArray(its)) {
    const index = Number(rest[0]);
    if (index >= part.length || index >= its.length) return take(ours, theirs, [keyword]);
    const around = (item: Schema): Schema => ({ ...ours, [keyword]: part.with(index, item) });
    return { schema: part[index] as Schema, other: its[index] as Schema, steps: rest.slice(1), around };
  }
  if (part === undefined || its === undefined) return take(ours, theirs, [keyword]);
  const around = (changed: Schema): Schema => ({ ...ours, [keyword]: changed });
  return { schema: part as Schema, other: its as Schema, steps: rest, around };
}

/** The same where the steps lead to an entry of a map: a property for instance. */
function stepIntoEntry(ours: object, theirs: object, steps: readonly string[]): Step | Schema {
  const [keyword = '', name = '', ...rest] = steps;
  const [entries, others] = [fieldOf(ours, keyword) ?? {}, fieldOf(theirs, keyword) ?? {}];
  const [entry, its] = [fieldOf(entries, name), fieldOf(others, name)];
  if (entry !== undefined && its !== undefined && keyword !== 'dependentRequired') {
    const around = (changed: Schema): Schema => ({ ...ours, [keyword]: { ...entries, [name]: changed } });
    return { schema: entry as Schema, other: its as Schema, steps: rest, around };
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
