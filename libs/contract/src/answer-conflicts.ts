import { isJsonMediaType } from './answer-kinds/media-type.js';
import { type AnswerSchema, jsonSchemaOf } from './answer-kinds/schema.js';
import type { Answers } from './answer-types.js';

/** What contradicts in answers that are right each by itself, with the question that says more than it can. */
export function answerConflicts(answers: Answers): string[] {
  return [
    ...sharedHeaders(answers),
    ...pointerWithoutJson(answers),
    ...plantInTheWay(answers),
    ...closedToEachOther(answers),
    ...identityShutOut(answers),
    ...repeatedAcknowledgements(answers),
  ];
}

/** One field cannot say two things. */
function sharedHeaders(answers: Answers): string[] {
  const uses = headersOf(answers).map(([id, header]) => ({ id, header, name: header.toLowerCase() }));
  return uses.flatMap(({ id, header, name }, index) => {
    const first = uses.slice(0, index).find((use) => use.name === name);
    return first === undefined ? [] : [`${id} uses the header ${header}, which ${first.id} uses`];
  });
}

function headersOf({
  'event-identity': identity,
  'request-versioning': version,
  signing,
}: Answers): [id: string, header: string][] {
  const uses: [id: string, header: string][] = [];
  if (identity !== undefined && 'header' in identity) uses.push(['event-identity', identity.header]);
  if (version !== undefined && 'header' in version) uses.push(['request-versioning', version.header]);
  if (signing !== undefined) uses.push(['signing', signing.signature.header]);
  if (signing?.timestamp !== undefined) uses.push(['signing', signing.timestamp.header]);
  return uses;
}

function pointerWithoutJson({ 'event-identity': identity, 'media-type': mediaType }: Answers): string[] {
  if (identity === undefined || !('pointer' in identity)) return [];
  return mediaType === undefined || isJsonMediaType(mediaType)
    ? []
    : [`event-identity points into JSON, and media-type is none of JSON: ${mediaType}`];
}

/** In an envelope the plant stands among the fields of the event. */
function plantInTheWay({ payload, 'event-payload-fields': event }: Answers): string[] {
  if (payload === undefined || payload === 'plant' || event === undefined) return [];
  return fieldsOf(event).includes(payload.plantField)
    ? [`payload has the plant under ${payload.plantField}, which is a field of event-payload-fields`]
    : [];
}

/** Where the plant is all of the content, the fields of both schemas stand side by side, and each sees all of them. */
function closedToEachOther({
  payload,
  'plant-fields': plant,
  'event-payload-fields': event,
}: Answers): string[] {
  if (payload !== 'plant' || plant === undefined || event === undefined) return [];
  return [
    ...(refusesFieldsOf(plant, event)
      ? ['plant-fields allows no field of event-payload-fields beside it']
      : []),
    ...(refusesFieldsOf(event, plant)
      ? ['event-payload-fields allows no field of plant-fields beside it']
      : []),
  ];
}

/** An identifier in the content stands in a field that the schema of what is around it allows. */
function identityShutOut({
  payload,
  'event-identity': identity,
  'plant-fields': plant,
  'event-payload-fields': event,
}: Answers): string[] {
  if (payload === undefined || identity === undefined || !('pointer' in identity)) return [];
  const [, step = ''] = identity.pointer.split('/');
  const field = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (payload !== 'plant' && field === payload.plantField) return [];
  const around = { 'event-payload-fields': event, ...(payload === 'plant' && { 'plant-fields': plant }) };
  return Object.entries(around)
    .filter(([, schema]) => schema !== undefined && isClosed(schema) && !fieldsOf(schema).includes(field))
    .map(([id]) => `event-identity points at the field ${field}, which ${id} does not allow`);
}

/** What is acknowledged is not sent again (RFC 9110 §15.3). */
function repeatedAcknowledgements({ retry, 'receiver-response': response }: Answers): string[] {
  if (retry === undefined || retry.statuses === 'all') return [];
  const acknowledges = (status: number): boolean =>
    response === undefined ? status >= 200 && status <= 299 : status === response.status;
  return retry.statuses
    .filter(acknowledges)
    .map((status) => `retry has another attempt after ${status}, which is an acknowledgement`);
}

function refusesFieldsOf(one: AnswerSchema, other: AnswerSchema): boolean {
  const known = fieldsOf(one);
  return isClosed(one) && fieldsOf(other).some((field) => !known.includes(field));
}

/** Whether a schema allows no field but those that it names. */
function isClosed(schema: AnswerSchema): boolean {
  return jsonSchemaOf(schema)['additionalProperties'] === false;
}

/** The fields that a schema names. */
function fieldsOf(schema: AnswerSchema): string[] {
  return Object.keys((jsonSchemaOf(schema)['properties'] as object | undefined) ?? {});
}
