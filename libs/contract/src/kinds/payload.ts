import * as v from 'valibot';
import { plantFieldOf } from '../plant-field.js';
import { isSame, kind, unlessJson } from './kind.js';
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

/** What is sent: the plant alone, or an object with the plant in a field. */
const schema = v.union([
  v.literal('plant'),
  v.strictObject({ shape: v.literal('plant'), ...description }),
  v.strictObject({ plantField: textThat(/^./s, 'the name of a field'), ...description }),
]);

export const payload = kind('payload', schema, {
  inWords: (answer) => {
    const field = plantFieldOf(answer);
    return field === undefined ? 'the plant alone' : `an object with the plant in the field \`${field}\``;
  },
  example: { plantField: 'plant' },
  more: { alone: 'plant', renamed: { plantField: 'newPlant' } },
  builtOn: ['http-method', 'media-type'],
  effects: {
    'receiver.refuses-payload': [
      'breaking',
      (answer, others) => {
        if (!others.isJson) return undefined;
        const field = plantFieldOf(answer);
        if (field === undefined) return `Takes JSON; ${unlessJson(others)}.`;
        return `Takes JSON with the plant in the field \`${field}\`; ${unlessJson(others)}, content without that field ${others.statusOf('content-invalid')}.`;
      },
    ],
    'sender.encodes-payload': [
      'info',
      (answer, { isJson }) => {
        if (!isJson) return undefined;
        const field = plantFieldOf(answer);
        const what = field === undefined ? 'the plant alone' : `the plant in the field \`${field}\``;
        return `Sends JSON with ${what} unless the caller passes \`encode\`.`;
      },
    ],
  },
  fails: (from, to, sender, receiver) => {
    if (to === undefined || !receiver.isJson) return undefined;
    if (from === undefined || !sender.isJson) return 'content of another shape is refused';
    const field = plantFieldOf(to);
    if (plantFieldOf(from) === field) return undefined;
    if (field === undefined) return 'the whole content is taken for the plant';
    return `content without the field \`${field}\` gets ${receiver.statusOf('content-invalid')}`;
  },
  step: (before, after, old, now) => {
    if (!old.isJson && !now.isJson) return 'patch';
    if (before === undefined) return 'minor';
    const isSameShape = after !== undefined && isSame(plantFieldOf(before), plantFieldOf(after));
    return isSameShape ? 'patch' : 'major';
  },
  shows: {
    receiver: { 'that is no JSON': 'refused with 400', 'with a plant alone': 'refused with 422' },
    sender: { 'without `encode`': 'application/json {"plant":{"name":"Fern"}}' },
    types: { 'without `encode`': 'compiles' },
  },
});
