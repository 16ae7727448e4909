import { shapeFaults } from './answer-shapes.js';
import { type Answers, answerChecks, isExecutable } from './answer-types.js';
import { isJsonMediaType } from './answers/checks.js';
import { type Components, componentsOf } from './answers/components.js';
import { errorPayloadNameOf, type Failure, FAILURES, requiredFieldsOf } from './answers/failures.js';
import { keysOf } from './answers/json-pointer.js';
import { payloadDescriptionOf, plantFieldOf } from './answers/payload.js';
import { type AnswerSchema, fieldsOf, isClosed } from './answers/schema.js';
import { openQuestions, type QuestionId } from './register/register.js';

/**
 * Everything that is wrong with a set of answers, as `<question>: <fault>`. The answers are compared with each other
 * only if each is valid by itself. Answers that the compiler would refuse have faults too.
 */
export function answerFaults(answers: Answers): string[] {
  const faults = Object.entries(answers).flatMap(([id, answer]) =>
    faultsOf(id, answer).map((fault) => `${id}: ${fault}`),
  );
  return faults.length > 0 ? faults : conflicts(answers);
}

function faultsOf(id: string, answer: unknown): readonly string[] {
  if (isExecutable(id)) {
    const faults = shapeFaults(id, answer);
    return faults.length > 0 ? faults : answerChecks[id](answer as never);
  }
  if (!openQuestions.some((question) => question.id === id)) return ['is not a question of the register'];
  return typeof answer === 'string' && answer.trim() !== '' ? [] : ['must be text that is not empty'];
}

/** Contradictions between answers. */
function conflicts(answers: Answers): string[] {
  return [
    sharedHeaders,
    pointerWithoutJson,
    signedIdWithoutHeader,
    plantFieldTaken,
    sharedNames,
    closedToEachOther,
    identityNotAllowed,
    requiredFieldsWithoutValue,
    repeatedAcknowledgements,
  ].flatMap((conflictsIn) => conflictsIn(answers));
}

/** Two answers cannot use one header. */
function sharedHeaders(answers: Answers): string[] {
  const uses = headersOf(answers).map(([id, header]) => ({ id, header, name: header.toLowerCase() }));
  return uses.flatMap(({ id, header, name }, index) => {
    const first = uses.slice(0, index).find((use) => use.name === name);
    return first === undefined ? [] : [`${id}: cannot use the header ${header}, because ${first.id} uses it`];
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
    : [`event-identity: a pointer needs JSON content, but media-type is ${mediaType}`];
}

function signedIdWithoutHeader({ signing, 'event-identity': identity }: Answers): string[] {
  if (signing === undefined || !signing.signed.includes('event-id')) return [];
  return identity !== undefined && 'header' in identity
    ? []
    : ['signing: signs the event id, so event-identity must be answered with a header'];
}

/** In an envelope the plant is one of the fields of the event. */
function plantFieldTaken({ payload, 'event-payload-fields': event }: Answers): string[] {
  const plantField = plantFieldOf(payload);
  if (plantField === undefined || event === undefined) return [];
  return fieldsOf(event).includes(plantField)
    ? [`payload: plantField cannot be ${plantField}, because event-payload-fields has that field`]
    : [];
}

/** Two schemas in the document cannot have one name, unless they are the same schema. */
function sharedNames(answers: Answers): string[] {
  const uses = namesOf(answers);
  return uses.flatMap(({ id, name, schema }, index) => {
    const first = uses.slice(0, index).find((use) => use.name === name);
    if (first === undefined || (schema !== undefined && schema === first.schema)) return [];
    return [
      `${id}: has a schema called ${name}, as ${first.id} has. Name one of the two otherwise, in payload or in $defs`,
    ];
  });
}

/** The name of a schema, with the schema as text where it comes from an answer. */
interface NameUse {
  readonly id: QuestionId;
  readonly name: string;
  readonly schema?: string;
}

function namesOf(answers: Answers): NameUse[] {
  const { 'plant-fields': plant, 'event-payload-fields': event, 'error-payloads': errors, payload } = answers;
  const { names = {} } = payloadDescriptionOf(payload);
  const fixed: NameUse[] = [
    ...(names.payload === undefined ? [] : [{ id: 'payload' as const, name: names.payload }]),
    ...(errors === undefined ? [] : [{ id: 'error-payloads' as const, name: errorPayloadNameOf(errors) }]),
  ];
  const used = (id: QuestionId, { own, definitions }: Components): NameUse[] =>
    [own, ...definitions].map(({ name, schema }) => ({ id, name, schema: JSON.stringify(schema) }));
  return [
    ...fixed,
    ...(plant === undefined ? [] : used('plant-fields', componentsOf('plant', plant, names))),
    ...(event === undefined ? [] : used('event-payload-fields', componentsOf('event', event, names))),
  ];
}

/** Without an envelope, the fields of plant and event are in one object, and both schemas validate all of it. */
function closedToEachOther({
  payload,
  'plant-fields': plant,
  'event-payload-fields': event,
}: Answers): string[] {
  if (payload === undefined || plant === undefined || event === undefined) return [];
  if (plantFieldOf(payload) !== undefined) return [];
  return [
    ...(refusesFieldsOf(plant, event)
      ? ['plant-fields: must allow the fields of event-payload-fields, which are in the same object']
      : []),
    ...(refusesFieldsOf(event, plant)
      ? ['event-payload-fields: must allow the fields of plant-fields, which are in the same object']
      : []),
  ];
}

function refusesFieldsOf(one: AnswerSchema, other: AnswerSchema): boolean {
  const known = fieldsOf(one);
  return isClosed(one) && fieldsOf(other).some((field) => !known.includes(field));
}

/** The schemas must allow the field that contains the identifier. */
function identityNotAllowed({
  payload,
  'event-identity': identity,
  'plant-fields': plant,
  'event-payload-fields': event,
}: Answers): string[] {
  if (payload === undefined || identity === undefined || !('pointer' in identity)) return [];
  const [field = ''] = keysOf(identity.pointer);
  const plantField = plantFieldOf(payload);
  if (field === plantField) return [];
  const schemas = {
    'event-payload-fields': event,
    ...(plantField === undefined && { 'plant-fields': plant }),
  };
  return Object.entries(schemas)
    .filter(([, schema]) => schema !== undefined && isClosed(schema) && !fieldsOf(schema).includes(field))
    .map(([id]) => `event-identity: points at the field ${field}, which ${id} does not allow`);
}

/** A field that every error payload has needs a value for every failure. */
function requiredFieldsWithoutValue({
  'error-payloads': payload,
  'error-codes': codes = {},
  'status-codes': responses = {},
}: Answers): string[] {
  if (payload === undefined) return [];
  const failures = Object.keys(FAILURES) as Failure[];
  const sources = {
    status: { missing: [], question: 'status-codes' },
    code: { missing: failures.filter((name) => codes[name] === undefined), question: 'error-codes' },
    description: {
      missing: failures.filter((name) => responses[name] === undefined),
      question: 'status-codes',
    },
  };
  return requiredFieldsOf(payload).flatMap((field) => {
    const what = payload.fields[field]!;
    const { missing, question } = sources[what];
    if (missing.length === 0) return [];
    return [
      `error-payloads: requires ${field}, so ${question} must have a ${what} for every failure (missing: ${missing.join(', ')})`,
    ];
  });
}

/** A delivery that was acknowledged is not sent again (RFC 9110 §15.3). */
function repeatedAcknowledgements({ retry, 'receiver-response': response }: Answers): string[] {
  if (retry === undefined || retry.statuses === 'all') return [];
  const acknowledges = (status: number): boolean =>
    response === undefined ? status >= 200 && status <= 299 : status === response.status;
  return retry.statuses
    .filter(acknowledges)
    .map((status) => `retry: statuses must not include ${status}, which is an acknowledgement`);
}
