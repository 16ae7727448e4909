/** The fields of an object, as a JSON Schema and the schemas that it combines say. */
import { partAt } from './json-pointer.js';
import { type JsonSchema, stepsOf } from './references.js';

/** What a schema says about the fields of an object. */
export interface ObjectFields {
  /** The fields that it names. `undefined` stands for those that it describes without their names, as a record does. */
  readonly names: readonly (string | undefined)[];
  /** Where and why it refuses a field, or other values of it than it says; undefined if the field is free or named. */
  readonly obstacleTo: (field: string | undefined) => Obstacle | undefined;
  /** Where and why not every value is an object. */
  readonly notObject: string | undefined;
}

export interface Obstacle {
  readonly reason: string;
  /** Whether nobody can send the field. Otherwise, only some values of it are refused. */
  readonly forbids: boolean;
}

/** A schema that says something of the value itself, and where it stands. */
type Level = readonly [place: string, schema: JsonSchema];

/** Keywords whose schemas say something of the same value: one schema each, or several. */
const ONE = ['if', 'then', 'else', 'not'];
const SEVERAL = ['allOf', 'anyOf', 'oneOf', 'dependentSchemas'];

/** Keywords that say something of fields without naming them. */
const OF_OTHERS = ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'maxProperties'];

/** @param stated a JSON Schema whose references lead to its own parts */
export function fieldsOf(stated: JsonSchema): ObjectFields {
  const levels = [...levelsOf(stated, ['#', stated], new Set())];
  const describesOthers = levels.some(
    ([, { additionalProperties, patternProperties }]) =>
      ![undefined, false].includes(additionalProperties as undefined) || patternProperties !== undefined,
  );
  return {
    names: [
      ...new Set(levels.flatMap(([, { properties = {} }]) => Object.keys(properties as object))),
      ...(describesOthers ? [undefined] : []),
    ],
    obstacleTo: (field) => {
      const found = levels.flatMap((level) => obstacleIn(level, field));
      return found.find(({ forbids }) => forbids) ?? found[0];
    },
    notObject: levels.map(whyNotObject).find((reason) => reason !== undefined),
  };
}

/** A schema may combine schemas that combine it. */
function* levelsOf(root: JsonSchema, [place, schema]: Level, seen: Set<unknown>): Generator<Level> {
  if (typeof schema !== 'object' || seen.has(schema)) return;
  seen.add(schema);
  yield [place, schema];
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    yield* levelsOf(root, [$ref, partAt(root, stepsOf($ref)) as JsonSchema], seen);
  }
  for (const keyword of ONE) {
    yield* levelsOf(root, [`${place}/${keyword}`, schema[keyword] as JsonSchema], seen);
  }
  for (const keyword of SEVERAL) {
    for (const [key, one] of Object.entries(
      (schema[keyword] ?? {}) as Readonly<Record<string, JsonSchema>>,
    )) {
      yield* levelsOf(root, [`${place}/${keyword}/${key}`, one], seen);
    }
  }
}

function obstacleIn([place, schema]: Level, field: string | undefined): Obstacle[] {
  const { properties = {}, patternProperties = {} } = schema as Readonly<Record<string, object | undefined>>;
  if (field !== undefined) {
    if (Object.hasOwn(properties, field)) return [];
    if (Object.keys(patternProperties).some((pattern) => new RegExp(pattern).test(field))) return [];
  }
  return OF_OTHERS.filter((keyword) => !isFree(keyword, schema[keyword])).map((keyword) => ({
    reason: `${place} has ${keyword}: ${JSON.stringify(schema[keyword])}`,
    forbids: schema[keyword] === false,
  }));
}

/** Whether a keyword allows everything. The name of a field is always text. */
function isFree(keyword: string, value: unknown): boolean {
  const everything = keyword === 'propertyNames' ? ['{}', '{"type":"string"}'] : ['{}'];
  return value === undefined || value === true || everything.includes(JSON.stringify(value));
}

function whyNotObject([place, schema]: Level): string | undefined {
  const fixed = ['enum', 'const'].find((keyword) => keyword in schema);
  if (fixed !== undefined) return `${place} has ${fixed}`;
  const types = [schema['type'] ?? 'object'].flat() as string[];
  const isObject = types.every((type) => type === 'object');
  return isObject || /\/(?:if|not)(?:\/|$)/.test(place)
    ? undefined
    : `${place} has the type ${types.join(', ')}`;
}

/** What a schema may have beside its fields if they are written elsewhere one by one. */
const OF_PLAIN = ['$defs', 'type', 'properties', 'required', 'additionalProperties', 'title', 'description'];

/** Whether a schema is one object with its fields and no others, which can be written with other fields beside them. */
export function isClosedObject(schema: JsonSchema): boolean {
  return (
    schema['additionalProperties'] === false &&
    Object.keys(schema).every((keyword) => OF_PLAIN.includes(keyword))
  );
}
