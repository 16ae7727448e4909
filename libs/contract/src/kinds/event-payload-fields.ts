import * as v from 'valibot';
import { comparing, exampleFields, failsToFit, fields, fieldsInWords, mayRefuse, refusal } from './fields.js';
import { kind } from './kind.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const eventPayloadFields = kind('event-payload-fields', fields, {
  inWords: fieldsInWords,
  example: exampleFields(v.object({ addedOn: v.pipe(v.string(), v.regex(DAY)) }), {
    type: 'object',
    properties: { addedOn: { type: 'string', pattern: DAY.source } },
    required: ['addedOn'],
  }),
  more: {
    other: exampleFields(v.object({ addedBy: v.string() }), {
      type: 'object',
      properties: { addedBy: { type: 'string' } },
      required: ['addedBy'],
    }),
  },
  builtOn: ['http-method', 'media-type', 'payload'],
  effects: {
    'receiver.refuses-event': refusal('an event', "Takes events with these fields beside the plant's"),
    'receiver.may-refuse-event': mayRefuse('events'),
    'sender.needs-event': [
      'breaking',
      (_schema, { words }) =>
        `Needs \`event\` for each delivery, beside the plant, with these fields: ${words}.`,
    ],
  },
  fails: failsToFit('an event'),
  // The caller has to pass `event`, another one, or no longer may.
  step: () => 'major',
  transition: comparing('events'),
  shows: {
    receiver: { 'with an event without a date': 'refused with 422' },
    sender: { 'without `encode`': 'application/json {"addedOn":"2026-01-31","plant":{"name":"Fern"}}' },
    types: { 'sent without `event`': 'does not compile' },
  },
});
