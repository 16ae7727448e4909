/** `@plant-store/contract/document`: the schemas of the answers as components of an OpenAPI document, and their names. */
import { jsonSchemaOf, soleDefinition } from './answer-schema.js';
import type { AnswerValues, ExecutableAnswers } from './answer-types.js';
import { plantFieldOf } from './plant-field.js';
import { type JsonSchema, mapReferences, stepsOf } from './references.js';
import type { ExecutableId } from './register/register.js';

/** What the schema of each of these answers is called if nothing names it. These names are ours. */
const DEFAULT_NAMES = { plant: 'Plant', event: 'NewPlantEvent' };

type PayloadAnswer = ExecutableAnswers['payload'];
type PayloadDescription = Pick<Exclude<PayloadAnswer, string>, 'description' | 'names'>;
type ErrorPayload = ExecutableAnswers['error-payloads'];

/** A schema in `components.schemas`. */
export interface Component {
  readonly name: string;
  /** Its references lead to components. */
  readonly schema: JsonSchema;
}

/** The schema of an answer, and the definitions in its `$defs`, each by its name there. */
export interface Components {
  readonly own: Component;
  readonly definitions: readonly Component[];
}

/**
 * The schema of an answer as components.
 *
 * @param stated the JSON Schema that answers `plant-fields` or `event-payload-fields`
 * @param names as the answer to `payload` has them
 */
export function componentsOf(
  of: keyof typeof DEFAULT_NAMES,
  stated: JsonSchema,
  names: PayloadDescription['names'] = {},
): Components {
  const { $defs, ...root } = stated;
  const definitions = ($defs ?? {}) as Readonly<Record<string, JsonSchema>>;
  const sole = soleDefinition(root);
  const own = names[of] ?? sole ?? DEFAULT_NAMES[of];
  const moved = (part: JsonSchema): JsonSchema =>
    mapReferences(part, (reference) => {
      const [keyword, definition, ...below] = stepsOf(reference);
      return keyword === '$defs' && definition !== undefined
        ? referenceTo(definition === sole ? own : definition, ...below).$ref
        : referenceTo(own, ...stepsOf(reference)).$ref;
    });
  return {
    own: { name: own, schema: moved(sole === undefined ? root : definitions[sole]!) },
    definitions: Object.entries(definitions)
      .filter(([name]) => name !== sole)
      .map(([name, part]) => ({ name, schema: moved(part) })),
  };
}

/** A reference to a component, or to the part of it at these keys. */
export function referenceTo(name: string, ...keys: readonly string[]): { readonly $ref: string } {
  const steps = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  return { $ref: ['#/components/schemas', name, ...steps].join('/') };
}

/** The schema that answers `plant-fields` or `event-payload-fields`, as components; undefined while it is open. */
export function componentsIn(of: keyof typeof DEFAULT_NAMES, answers: AnswerValues): Components | undefined {
  const schema = answers[of === 'plant' ? 'plant-fields' : 'event-payload-fields'];
  return schema && componentsOf(of, jsonSchemaOf(schema), payloadDescriptionOf(answers.payload).names);
}

/**
 * The schema of the payload, which refers to the components of the plant and of its event. Undefined if nothing is known
 * about it. `answerFaults` refuses schemas that can't be combined so.
 */
export function payloadSchemaOf(answers: AnswerValues): JsonSchema | undefined {
  const event = componentsIn('event', answers)?.own;
  const plant = componentsIn('plant', answers)?.own;
  const plantField = plantFieldOf(answers.payload);
  if (plantField === undefined) return plant && referenceTo(plant.name);
  const required = [plantField];
  const properties = { [plantField]: plant === undefined ? {} : referenceTo(plant.name) };
  if (event === undefined) return { type: 'object', required, properties };
  if (event.schema['additionalProperties'] !== false) {
    return { type: 'object', required, properties, allOf: [referenceTo(event.name)] };
  }
  // A reference to the whole schema would forbid the plant's field beside the event's.
  const fields = event.schema as { readonly properties?: object; readonly required?: readonly string[] };
  const eventProperties = Object.keys(fields.properties ?? {}).map((field) => [
    field,
    referenceTo(event.name, 'properties', field),
  ]);
  return {
    type: 'object',
    required: [...required, ...(fields.required ?? [])],
    properties: { ...properties, ...Object.fromEntries(eventProperties) },
    additionalProperties: false,
  };
}

/** What a schema may have that is one object with its fields. */
const OF_PLAIN = ['$defs', 'type', 'properties', 'required', 'additionalProperties', 'title', 'description'];

/** Whether a schema is one object with its fields, which can be written with the field of the plant beside them. */
export function isPlainObject(schema: JsonSchema): boolean {
  const { type, additionalProperties: others = true } = schema;
  const isBoolean = typeof others === 'boolean' || JSON.stringify(others) === '{}';
  return type === 'object' && isBoolean && Object.keys(schema).every((keyword) => OF_PLAIN.includes(keyword));
}

/** What an answer says about the payload beside its shape. */
export function payloadDescriptionOf(payload: PayloadAnswer | undefined): PayloadDescription {
  return typeof payload === 'object' ? payload : {};
}

/** The name of the schema of an error payload. */
export function errorPayloadNameOf({ name = 'ErrorPayload' }: ErrorPayload): string {
  return name;
}

/** The fields that every error payload has. */
export function requiredFieldsOf({ fields, required }: ErrorPayload): readonly string[] {
  return required ?? Object.keys(fields).filter((name) => fields[name] === 'status');
}

/** A name in `components.schemas`, and the question whose answer gives it. A default name is that of the answer itself. */
export interface ComponentName {
  readonly id: ExecutableId;
  readonly name: string;
  /** Where the schema is an answer by itself. */
  readonly schema?: JsonSchema;
}

/** The components that answers bring, each with the question whose answer names it. */
export function namedComponents(answers: AnswerValues): ComponentName[] {
  const { names = {} } = payloadDescriptionOf(answers.payload);
  const { 'error-payloads': errors } = answers;
  const found: ComponentName[] = [];
  if (names.payload !== undefined) found.push({ id: 'payload', name: names.payload });
  if (errors !== undefined) found.push({ id: 'error-payloads', name: errorPayloadNameOf(errors) });
  for (const [of, id] of [
    ['plant', 'plant-fields'],
    ['event', 'event-payload-fields'],
  ] as const) {
    const components = componentsIn(of, answers);
    if (components === undefined) continue;
    found.push({ id: names[of] === undefined ? id : 'payload', ...components.own });
    found.push(...components.definitions.map((definition) => ({ id, ...definition })));
  }
  return found;
}
