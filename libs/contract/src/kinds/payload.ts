/** What is sent: its shape, and the fields of a plant and of its event. */
import * as v from 'valibot';
import { type AnswerSchema, isSchema, schemaFaults } from '../answer-schema.js';
import { kind } from './kind.js';
import { componentName, members, said, textThat } from './parts.js';

/** What the document says about the payload. What is left out is not in the document. */
const description = {
  /** Of the request body. */
  description: v.optional(said),
  /** Of the schemas, in `components.schemas`. */
  names: v.optional(
    members({
      /** Of the schema that answers `plant-fields`. Default: its own name if it has one, else Plant. */
      plant: v.optional(componentName),
      /** Of the schema that answers `event-payload-fields`. Default: its own name if it has one, else NewPlantEvent. */
      event: v.optional(componentName),
      /** Of a payload that has more than the plant. Default: it has no name, and is written where it is used. */
      payload: v.optional(componentName),
    }),
  ),
};

/** Libraries that copy an object leave out its field `__proto__`. */
function isFieldName(name: string): boolean {
  return name !== '' && name !== '__proto__';
}

/** What is sent: the plant alone, or an object with the plant in a field. */
const payload = kind(
  v.union([
    v.literal('plant'),
    v.strictObject({ shape: v.literal('plant'), ...description }),
    v.strictObject({ plantField: textThat(isFieldName, 'the name of a field'), ...description }),
  ]),
);

/** A Standard Schema that has a JSON Schema. */
const fields = kind(
  v.pipe(
    v.custom<AnswerSchema>(
      isSchema,
      'a Standard Schema, such as one of Zod, or what jsonSchema() of @plant-store/contract/json-schema makes of a JSON Schema',
    ),
    v.rawCheck(({ dataset, addIssue }) => {
      if (dataset.typed) for (const message of schemaFaults(dataset.value)) addIssue({ message });
    }),
  ),
);

export const payloadKinds = {
  payload,
  'plant-fields': fields,
  /** Of the event, beside the field of the plant. */
  'event-payload-fields': fields,
};
