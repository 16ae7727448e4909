/** The schemas of the answers as components of the document, and what they are called there. */
import { type JsonSchema, mapReferences, stepsOf } from './references.js';
import { type AnswerSchema, jsonSchemaOf, soleDefinition } from './schema.js';

/** Names of schemas in the document, in `components.schemas` (question `payload`). */
export interface SchemaNames {
  /** Of the schema that answers `plant-fields`. Default: its own name if it has one, else Plant. */
  readonly plant?: string;
  /** Of the schema that answers `event-payload-fields`. Default: its own name if it has one, else NewPlantEvent. */
  readonly event?: string;
  /** Of a payload that has more than the plant. Default: it has no name, and is written where it is used. */
  readonly payload?: string;
}

/** What the schema of each of these answers is called if nothing names it. These names are ours. */
const DEFAULT_NAMES = { plant: 'Plant', event: 'NewPlantEvent' };

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

/** The schema of an answer as components. */
export function componentsOf(
  of: keyof typeof DEFAULT_NAMES,
  schema: AnswerSchema,
  names: SchemaNames = {},
): Components {
  const { $defs = {}, ...root } = jsonSchemaOf(schema);
  const sole = soleDefinition(root);
  const own = names[of] ?? sole ?? DEFAULT_NAMES[of];
  const moved = (part: unknown): JsonSchema =>
    mapReferences(part, (reference) => {
      const [keyword, definition, ...below] = stepsOf(reference);
      return keyword === '$defs' && definition !== undefined
        ? referenceTo(definition === sole ? own : definition, ...below).$ref
        : referenceTo(own, ...stepsOf(reference)).$ref;
    }) as JsonSchema;
  const definitions = Object.entries($defs as JsonSchema);
  return {
    own: { name: own, schema: moved(sole === undefined ? root : ($defs as JsonSchema)[sole]) },
    definitions: definitions
      .filter(([definition]) => definition !== sole)
      .map(([definition, part]) => ({ name: definition, schema: moved(part) })),
  };
}

/** A reference to a component, or to the part of it at these keys. */
export function referenceTo(name: string, ...keys: readonly string[]): { readonly $ref: string } {
  const steps = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  return { $ref: ['#/components/schemas', name, ...steps].join('/') };
}
