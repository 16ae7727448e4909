/** What a receiver responds: once it has accepted a delivery, and to each failure. */
import * as v from 'valibot';
import { SETTLED_FAILURES } from '../failures.js';
import { isJsonMediaType } from '../standards.js';
import { kind } from './kind.js';
import {
  componentName,
  failures,
  forEach,
  isJson,
  isObject,
  isWhole,
  mediaType,
  members,
  refuse,
  said,
  textThat,
} from './parts.js';

/** The response to a delivery that a receiver has accepted (RFC 9110 §15.3). */
const receiverResponse = kind(
  v.variant('status', [
    v.strictObject({
      status: v.picklist([204, 205]),
      description: said,
      content: v.optional(v.never('left out, because a 204 or 205 response has none')),
    }),
    v.strictObject({
      status: v.picklist([200, 201, 202, 203]),
      description: said,
      /** Sent unchanged, in UTF-8. */
      content: v.optional(
        v.pipe(
          v.strictObject({ mediaType, text: v.string() }),
          refuse(
            ({ mediaType, text }) => isJsonMediaType(mediaType) && !isJson(text),
            'must have a text that is JSON, as its media type says',
          ),
        ),
      ),
    }),
  ]),
);

/** Statuses that require a header field that nobody has answered (RFC 9110 §15.5.2, §15.5.6, §15.5.8, §15.5.22). */
const STATUSES_WITH_A_HEADER = [401, 405, 407, 426];

/** The responses to failures. A failure that is left out keeps its status. */
const statusCodes = kind(
  members({
    ...forEach(
      failures,
      v.strictObject({
        status: v.pipe(
          v.number(),
          v.check(
            (status) => isWhole(status, 400, 599) && !STATUSES_WITH_A_HEADER.includes(status),
            'a status from 400 to 599 that requires no other header field',
          ),
        ),
        /** For the document, and for an error payload that has it. */
        description: said,
      }),
    ),
    ...forEach(
      SETTLED_FAILURES,
      v.strictObject({
        status: v.optional(v.never('left out, because a standard settles it')),
        description: said,
      }),
    ),
  }),
);

const fieldContent = v.picklist(['status', 'code', 'description']);

/** Valibot's `record` passes over the names that every object has, such as `constructor`. */
function contentOfEach(fields: unknown): v.GenericSchema<Record<string, v.InferOutput<typeof fieldContent>>> {
  const entries = Object.keys(fields as object).map((name) => [name, fieldContent] as const);
  return v.strictObject(Object.fromEntries(entries));
}

/** The body of the response to a failure: a JSON object. */
const errorPayloads = kind(
  v.pipe(
    v.strictObject({
      mediaType: v.pipe(
        mediaType,
        v.check((type) => isJsonMediaType(type), 'a media type of JSON, such as application/problem+json'),
      ),
      /** What each field contains. A field without a value is left out, for instance `code` of a failure without one. */
      fields: v.pipe(
        v.custom<object>(isObject, 'an object'),
        v.lazy(contentOfEach),
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
  ),
);

/** The codes of failures. The error payload carries them. */
const errorCodes = kind(members(forEach(failures, textThat(/^./s, 'text that is not empty'))));

export const responseKinds = {
  'receiver-response': receiverResponse,
  'status-codes': statusCodes,
  'error-payloads': errorPayloads,
  'error-codes': errorCodes,
};
