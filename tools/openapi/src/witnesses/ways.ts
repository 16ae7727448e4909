import type { Schema, SchemaObject, SchemaStore } from './json-schema.js';

/** The place that the search is about, seen from a schema above it. */
export interface Focus {
  /** The steps of a JSON Pointer from the schema to there. */
  readonly steps: readonly string[];
  /** What the other document has in the place of the schema. */
  readonly counterpart: Schema;
}

/** A schema that a value has to fit, among others. One of them may lead to the place of the search. */
export interface Part {
  readonly schema: Schema;
  readonly focus?: Focus | undefined;
}

/** The same of a schema whose references and alternatives have been followed. */
export interface Member {
  readonly schema: SchemaObject;
  readonly focus?: Focus | undefined;
}

/** A schema applies its parts at once, so that a value has few members; more are a circle. */
const MAX_MEMBERS = 100;

/**
 * The ways in which a value may fit all of these schemas: what `allOf` and references add, with one alternative of each
 * `anyOf` and `oneOf`, and one branch of each `if`. There may be very many.
 */
export function* waysOf(
  parts: readonly Part[],
  store: SchemaStore,
  effort: Effort,
): Generator<readonly Member[]> {
  yield* expand(parts, [], store, effort);
}

/** How much may still be tried. It is counted and not timed, so that the outcome doesn't depend on the machine. */
export class Effort {
  #left = 0;

  start(steps: number): void {
    this.#left = steps;
  }

  /** Whether one more step may be taken. */
  spend(steps = 1): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}

/** Something to follow: a schema, or alternatives. */
type Todo = Part | { readonly oneOf: readonly (readonly Part[])[] };

function* expand(
  todo: readonly Todo[],
  members: readonly Member[],
  store: SchemaStore,
  effort: Effort,
): Generator<readonly Member[]> {
  const [next, ...rest] = todo;
  if (next === undefined) yield members;
  else if (members.length > MAX_MEMBERS || !effort.spend()) return;
  else if ('oneOf' in next) {
    for (const alternative of next.oneOf) yield* expand([...alternative, ...rest], members, store, effort);
  } else {
    const schema = store.followed(next.schema);
    if (schema === false) return;
    const followed = schema === true ? {} : schema;
    const todoBelow = below(followed, next.focus, store);
    const isPassedOn = todoBelow.some((one) => hasFocus(one));
    const member = { schema: followed, focus: isPassedOn ? undefined : next.focus };
    yield* expand([...todoBelow, ...rest], [...members, member], store, effort);
  }
}

function hasFocus(todo: Todo): boolean {
  return 'oneOf' in todo ? todo.oneOf.flat().some(hasFocus) : todo.focus !== undefined;
}

/** What applies to the same value as the schema that it is a part of. */
function below(schema: SchemaObject, focus: Focus | undefined, store: SchemaStore): Todo[] {
  const { $ref, allOf = [], anyOf, oneOf, dependentSchemas = {} } = schema;
  const part = (steps: readonly string[], one: Schema): Part => ({
    schema: one,
    focus: focus && focusBelow(focus, steps, store),
  });
  const todo: Todo[] = allOf.map((one, index) => part(['allOf', String(index)], one));
  if ($ref !== undefined) todo.push(part(['$ref'], { $ref }));
  for (const [name, one] of Object.entries(dependentSchemas)) {
    const dependent = part(['dependentSchemas', name], one);
    const isNeeded = schema.required?.includes(name) === true || dependent.focus !== undefined;
    if (isNeeded) todo.push({ schema: { required: [name] } }, dependent);
  }
  for (const [keyword, alternatives] of Object.entries({ anyOf, oneOf })) {
    if (alternatives === undefined) continue;
    const all = alternatives.map((one, index) => part([keyword, String(index)], one));
    const chosen = all.filter(hasFocus);
    todo.push({ oneOf: (chosen.length > 0 ? chosen : all).map((one) => [one]) });
  }
  return [...todo, ...conditional(schema, part), ...negated(schema, focus, store)];
}

function conditional(schema: SchemaObject, part: (steps: readonly string[], one: Schema) => Part): Todo[] {
  if (schema.if === undefined) return [];
  const met = [{ schema: schema.if }, part(['then'], schema.then ?? true)];
  const unmet = [part(['else'], schema.else ?? true)];
  if (unmet.some(hasFocus)) return unmet;
  return met.some(hasFocus) ? met : [{ oneOf: [met, unmet] }];
}

/** What only one document refuses by its `not` is what only its `not` describes. */
function negated(schema: SchemaObject, focus: Focus | undefined, store: SchemaStore): Part[] {
  const inside = focus && focusBelow(focus, ['not'], store);
  if (inside === undefined) return [];
  return [{ schema: inside.counterpart, focus: { ...inside, counterpart: schema.not ?? false } }];
}

/** The focus of a part, if these steps lead to it. */
export function focusBelow(focus: Focus, steps: readonly string[], store: SchemaStore): Focus | undefined {
  if (focus.steps.length < steps.length || !steps.every((step, index) => focus.steps[index] === step))
    return undefined;
  return {
    steps: focus.steps.slice(steps.length),
    counterpart: schemaAt(focus.counterpart, steps, store),
  };
}

/** What stands at these steps; everything is valid where nothing stands. */
export function schemaAt(schema: Schema, steps: readonly string[], store: SchemaStore): Schema {
  let part: unknown = schema;
  for (const step of steps) {
    const container: unknown = isSchema(part) ? store.followed(part) : part;
    if (typeof container !== 'object' || container === null || !Object.hasOwn(container, step)) return true;
    const { [step]: next } = container as Record<string, unknown>;
    part = step === '$ref' ? { $ref: next } : next;
  }
  return isSchema(part) ? part : true;
}

function isSchema(part: unknown): part is Schema {
  return typeof part === 'boolean' || (typeof part === 'object' && part !== null && !Array.isArray(part));
}
