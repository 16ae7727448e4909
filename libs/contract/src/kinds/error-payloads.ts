import * as v from 'valibot';
import { isJsonMediaType } from '../standards.js';
import { kind, listOf } from './kind.js';
import { componentName, isObject, mediaType, refuse } from './parts.js';

/** The body of the response to a failure: a JSON object. */
const schema = v.pipe(
  v.strictObject({
    mediaType: v.pipe(
      mediaType,
      v.check((type) => isJsonMediaType(type), 'a media type of JSON, such as application/problem+json'),
    ),
    /** What each field contains. A field without a value is left out, for instance `code` of a failure without one. */
    fields: v.pipe(
      v.custom<object>(isObject, 'an object'),
      v.record(v.string(), v.picklist(['status', 'code', 'description'])),
      refuse((fields) => Object.keys(fields).length === 0, 'must have at least one field'),
    ),
    /**
     * Names of fields that every payload has, whatever failed. Default: those with the status. A required field with the
     * code or the description needs one for every failure: in the answer to `error-codes` or to `status-codes`.
     */
    required: v.optional(v.array(v.string())),
    /** The name of its schema in the document, in `components.schemas`. Default: ErrorPayload, which is ours. */
    name: v.optional(componentName),
  }),
  refuse(
    ({ fields, required = [] }) => !required.every((name) => Object.hasOwn(fields, name)),
    'must have a field for each name in `required`',
  ),
);

export const errorPayloads = kind('error-payloads', schema, {
  inWords: ({ mediaType, fields }) =>
    `${mediaType} with ${listOf(Object.keys(fields).map((field) => `\`${field}\``))}`,
  example: {
    mediaType: 'application/problem+json',
    fields: { status: 'status', title: 'description', code: 'code' },
  },
  more: { other: { mediaType: 'application/json', fields: { error: 'code' } } },
  builtOn: ['http-method', 'media-type', 'payload', 'plant-fields', 'status-codes'],
  effects: {
    'receiver.sends-error-payload': [
      'info',
      (_payload, { words }) => `Sends content with each refusal: ${words}.`,
    ],
    'sender.gives-error-payload': ['info', () => 'Gives the caller that content in the error of a delivery.'],
  },
  step: () => 'minor',
  shows: {
    receiver: {
      'without a token': '401 · Bearer · application/problem+json · {"status":401}',
      'with a wrong token': '401 · Bearer error="invalid_token" · application/problem+json · {"status":401}',
    },
    sender: {
      'after a 409 with a problem': 'not acknowledged · content-invalid · {"code":"EXAMPLE_PLANT"}',
      'after a 400 with a code': 'not acknowledged · {"code":"EXAMPLE_PLANT"}',
    },
  },
});
