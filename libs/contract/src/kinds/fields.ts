/** What the two kinds of answers have in common that are schemas: their plain form is JSON Schema. */
import * as v from 'valibot';
import { type AnswerSchema, isSchema, schemaFaults } from '../answer-schema.js';
import { partAt } from '../json-pointer.js';
import { fieldsOf } from '../object-fields.js';
import { type JsonSchema, stepsOf } from '../references.js';
import { type EffectRule, isSame, type Meaning } from './kind.js';
import { isObject } from './parts.js';

/** The fields of a plant, or of its event beside those of the plant. */
export const fields = v.pipe(
  v.custom<AnswerSchema>(
    isSchema,
    'a Standard Schema, such as one of Zod, or what jsonSchema() of @plant-store/contract/json-schema makes of a JSON Schema',
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) for (const message of schemaFaults(dataset.value)) addIssue({ message });
  }),
);

type Fails = NonNullable<Meaning<'plant-fields', AnswerSchema, AnswerSchema, unknown>['fails']>;

/** A receiver refuses what does not fit, once it reads the payload. */
export function refusal(one: string, takes: string): EffectRule<JsonSchema> {
  return [
    'breaking',
    (_schema, { readsPayload, statusOf, words }) =>
      readsPayload
        ? `${takes}: ${words}; ${one.replace(/^an? /, 'another ')} gets ${statusOf('content-invalid')}.`
        : undefined,
  ];
}

/** Two schemas are not compared: they are the same JSON, or one may refuse what fits the other. */
export function mayRefuse(many: string): EffectRule<JsonSchema> {
  return [
    'warning',
    (schema, { readsPayload }, before) =>
      !readsPayload || before === undefined || isSame(before, schema)
        ? undefined
        : `It may refuse ${many} that it took, and take ${many} that it refused: compare the two schemas.`,
  ];
}

export function failsToFit(one: string): Fails {
  return (from, to, sender, receiver) => {
    if (to === undefined || !receiver.readsPayload) return undefined;
    const status = receiver.statusOf('content-invalid');
    if (from === undefined || !sender.readsPayload) return `${one} that does not fit gets ${status}`;
    return isSame(from, to) ? undefined : `${one} of the other schema may get ${status}`;
  };
}

export function comparing(many: string): () => string {
  return () => `If all ${many} that fit the old schema fit the new one: receivers first.`;
}

/** The fields of an object, with the type of each, what else is said of it, and whether it is required. */
export function fieldsInWords(stated: JsonSchema): string {
  const { $ref } = stated;
  // Zod names a whole schema so: what it says is in the part.
  const { required = [], properties = {} } = ((typeof $ref === 'string' && partAt(stated, stepsOf($ref))) ||
    stated) as { readonly required?: readonly string[]; readonly properties?: JsonSchema };
  const described = Object.entries(properties).map(([name, field]) => {
    const facts = [
      ...(isObject(field) ? factsOf(field) : []),
      ...(required.includes(name) ? ['required'] : []),
    ];
    return facts.length === 0 ? `\`${name}\`` : `\`${name}\` (${facts.join(', ')})`;
  });
  // Of combined schemas, such as a union, the names alone.
  const others = fieldsOf(stated).names.filter(
    (name) => name !== undefined && !Object.hasOwn(properties, name),
  );
  return [...described, ...others.map((name) => `\`${name}\``)].join(', ') || 'any';
}

function factsOf({ type, enum: values, ...others }: JsonSchema): string[] {
  const types = type === undefined ? [] : [([type].flat() as string[]).join(' or ')];
  const allowed = (values as unknown[] | undefined)?.map((value) => JSON.stringify(value)).join(' or ');
  const simple = Object.entries(others).filter(
    ([keyword, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) && !['title', 'description'].includes(keyword),
  );
  const facts = simple.map(
    ([keyword, value]) => `${keyword} ${typeof value === 'string' ? `\`${value}\`` : String(value)}`,
  );
  return [...(allowed === undefined ? types : [allowed]), ...facts];
}

/** An example: Valibot validates, and the JSON Schema is written beside it. */
export function exampleFields<const One extends v.GenericSchema>(
  one: One,
  stated: JsonSchema,
): AnswerSchema<v.InferInput<One>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'example',
      validate: (value) => one['~standard'].validate(value),
      jsonSchema: { input: () => ({ ...stated }) },
    },
  };
}
