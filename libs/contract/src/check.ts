/** `@plant-store/contract/check`: what is wrong with answers. */
import { jsonSchemaOf, plainAnswers, rootOf } from './answer-schema.js';
import { type Answers, type Executable, executableOf, type InWords } from './answer-types.js';
import { namedComponents, requiredFieldsOf } from './document.js';
import { FAILURES } from './failures.js';
import { faultsIn, formOf } from './faults.js';
import { keysOf } from './json-pointer.js';
import { kinds } from './kinds/kinds.js';
import { inWords, said } from './kinds/parts.js';
import { fieldsOf, isClosedObject, type ObjectFields } from './object-fields.js';
import { plantFieldOf } from './plant-field.js';
import { isExecutable, openQuestions } from './register/register.js';
import { isJsonMediaType } from './standards.js';

export { isDay, overdueFaults, stillAcceptedFaults } from './check-still-accepted.js';

/**
 * Everything that is wrong with a set of answers, as `<question>: <fault>`. The answers are compared with each other
 * only if each is valid by itself. Answers that the compiler would refuse have faults too.
 */
export function answerFaults(answers: Readonly<Record<string, unknown>>): string[] {
  const faults = Object.entries(answers).flatMap(([id, answer]) =>
    faultsOf(id, answer).map((fault) => `${id}: ${fault}`),
  );
  return faults.length > 0 ? faults : [...conflictsIn(executableOf(answers as Answers))];
}

function faultsOf(id: string, answer: unknown): string[] {
  if (!openQuestions.some((question) => question.id === id))
    return ['is not a question of OPEN_QUESTIONS.md'];
  if (!isExecutable(id)) return faultsIn(said, answer);
  const isInWords = (answer as Partial<InWords> | null | undefined)?.inWords !== undefined;
  return faultsIn(
    isInWords ? inWords : kinds[id].schema,
    answer,
    [kinds[id].schema, inWords].map(formOf).join('; or '),
  );
}

/** Contradictions between answers that are carried out. */
function* conflictsIn(answers: Executable): Generator<string> {
  yield* conflictsOfHeaders(answers);
  yield* conflictsOfFields(answers);
  yield* conflictsOfNames(answers);
  yield* conflictsOfResponses(answers);
}

/** Two answers cannot use one header, and what an identifier of events is used for must fit where it is. */
function* conflictsOfHeaders(answers: Executable): Generator<string> {
  const {
    'event-identity': identity,
    'media-type': mediaType,
    'request-versioning': version,
    signing,
  } = answers;
  const uses = [
    { id: 'event-identity', header: identity && 'header' in identity ? identity.header : undefined },
    { id: 'request-versioning', header: version && 'header' in version ? version.header : undefined },
    { id: 'signing', header: signing?.signature.header },
    { id: 'signing', header: signing?.timestamp?.header },
  ];
  const first = new Map<string, string>();
  for (const { id, header } of uses) {
    const name = header?.toLowerCase() ?? '';
    if (first.has(name)) yield `${id}: cannot use the header ${header}, because ${first.get(name)} uses it`;
    if (header !== undefined) first.set(name, first.get(name) ?? id);
  }
  const isPointer = identity !== undefined && 'pointer' in identity;
  if (isPointer && mediaType !== undefined && !isJsonMediaType(mediaType)) {
    yield `event-identity: a pointer needs JSON content, but media-type is ${mediaType}`;
  }
  if (signing?.signed.includes('event-id') && (identity === undefined || isPointer)) {
    yield 'signing: signs the event id, so event-identity must be answered with a header';
  }
}

/** The schemas must allow the fields of the payload, in an envelope or in one object with all fields. */
function* conflictsOfFields(answers: Executable): Generator<string> {
  const { payload, 'event-identity': identity } = answers;
  if (payload === undefined) return;
  const plantField = plantFieldOf(payload);
  const [plantSchema, eventSchema] = [answers['plant-fields'], answers['event-payload-fields']].map(
    (schema) => schema && jsonSchemaOf(schema),
  );
  const [plant, event] = [plantSchema && fieldsOf(plantSchema), eventSchema && fieldsOf(eventSchema)];
  const isSameObject = plantField === undefined && plant !== undefined && event !== undefined;
  if (event?.notObject !== undefined) {
    yield `event-payload-fields: must be an object, because its fields are beside the plant (${event.notObject})`;
  } else if (isSameObject && plant.notObject !== undefined) {
    yield `plant-fields: must be an object, because the fields of the event are beside its own (${plant.notObject})`;
  }
  if (plantField !== undefined && event?.names.includes(plantField)) {
    yield `payload: plantField cannot be ${plantField}, because event-payload-fields has that field`;
  } else if (plantField !== undefined && eventSchema !== undefined && !isClosedObject(rootOf(eventSchema))) {
    const reason = event?.obstacleTo(plantField)?.reason;
    if (reason !== undefined) {
      yield `event-payload-fields: must be one object, or allow the field ${plantField}, which is beside its fields (${reason})`;
    }
  }
  if (isSameObject) {
    yield* refusedFields('plant-fields', plant, 'event-payload-fields', event);
    yield* refusedFields('event-payload-fields', event, 'plant-fields', plant);
  }
  if (identity === undefined || !('pointer' in identity)) return;
  const [field = ''] = keysOf(identity.pointer);
  if (field === plantField) return;
  const inSameObject = {
    'event-payload-fields': event,
    'plant-fields': plantField === undefined ? plant : undefined,
  };
  for (const [id, fields] of Object.entries(inSameObject)) {
    if (fields?.obstacleTo(field)?.forbids === true) {
      yield `event-identity: points at the field ${field}, which ${id} does not allow`;
    }
  }
}

/** The first field of one schema that another refuses in the same object. */
function* refusedFields(
  id: string,
  fields: ObjectFields,
  otherId: string,
  other: ObjectFields,
): Generator<string> {
  for (const field of other.names) {
    const obstacle = fields.obstacleTo(field);
    if (obstacle === undefined) continue;
    yield `${id}: must allow the fields of ${otherId}, which are in the same object. It refuses ${field ?? 'some of them'}, because ${obstacle.reason}`;
    return;
  }
}

/** Two schemas in the document cannot have one name, unless they are the same schema. */
function* conflictsOfNames(answers: Executable): Generator<string> {
  const uses = namedComponents(plainAnswers(answers));
  for (const [index, { id, name, schema }] of uses.entries()) {
    const first = uses.slice(0, index).find((use) => use.name === name);
    if (first === undefined || (schema && JSON.stringify(schema) === JSON.stringify(first.schema))) continue;
    yield `${id}: has a schema called ${name}, as ${first.id} has. Name one of the two otherwise, in payload or in $defs`;
  }
}

/** Every error payload has its required fields, and a delivery that was acknowledged is not sent again (RFC 9110 §15.3). */
function* conflictsOfResponses(answers: Executable): Generator<string> {
  const { 'error-payloads': payload, 'receiver-response': response, retry } = answers;
  for (const field of payload === undefined ? [] : requiredFieldsOf(payload)) {
    const what = payload!.fields[field]!;
    if (what === 'status') continue;
    const question = what === 'code' ? 'error-codes' : 'status-codes';
    const missing = Object.keys(FAILURES).filter((name) => !Object.hasOwn(answers[question] ?? {}, name));
    if (missing.length === 0) continue;
    yield `error-payloads: requires ${field}, so ${question} must have a ${what} for every failure (missing: ${missing.join(', ')})`;
  }
  for (const status of retry === undefined || retry.statuses === 'all' ? [] : retry.statuses) {
    if (response === undefined ? status >= 200 && status <= 299 : status === response.status) {
      yield `retry: statuses must not include ${status}, which is an acknowledgement`;
    }
  }
}
