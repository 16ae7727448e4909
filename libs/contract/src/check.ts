/** `@plant-store/contract/check`: what is wrong with answers. */
import * as v from 'valibot';
import { isSchema, jsonSchemaOf, rootOf } from './answer-schema.js';
import type { AnswerValues } from './answer-types.js';
import { isPlainObject, namedComponents, requiredFieldsOf } from './document.js';
import { FAILURES } from './failures.js';
import { faultsIn } from './faults.js';
import { keysOf } from './json-pointer.js';
import { kinds } from './kinds/kinds.js';
import { isSeen, textThat } from './kinds/parts.js';
import { plantFieldOf } from './plant-field.js';
import type { JsonSchema } from './references.js';
import { isExecutable, openQuestions } from './register/register.js';
import { isJsonMediaType } from './standards.js';

/** Text that somebody wrote. OPEN_QUESTIONS.md has `…` in its place. */
const written = textThat(
  (text) => isSeen(text.replaceAll('…', '')),
  'text, instead of the … that was pasted',
);

/** An answer as it is entered. Its value is checked by its kind. */
const entry = v.strictObject({
  is: v.optional(v.any()),
  inWords: v.optional(written),
  who: written,
  on: textThat(isDay, 'a day such as 2026-01-31'),
  why: written,
});

/** What an entry looks like. */
const FORM = "{ is: …, who: '…', on: '2026-01-31', why: '…' }, or the same with inWords: '…' instead of is";

/**
 * Everything that is wrong with a set of answers, as `<question>: <fault>`. The answers are compared with each other
 * only if each is valid by itself. Answers that the compiler would refuse have faults too.
 *
 * @param now refuses a day that has not begun anywhere. Default: no day is too late, for a clock that may be wrong
 */
export function answerFaults(answers: Readonly<Record<string, unknown>>, now?: Date): string[] {
  const faults = Object.entries(answers).flatMap(([id, answer]) =>
    [...entryFaults(id, answer), ...dayFaults(answer, now)].map((fault) => `${id}: ${fault}`),
  );
  if (faults.length > 0) return faults;
  const carried = Object.entries(answers as Record<string, { readonly is?: unknown }>)
    .filter(([, answer]) => answer.is !== undefined)
    .map(([id, { is }]) => [id, is]);
  return valueFaults(Object.fromEntries(carried) as AnswerValues);
}

function entryFaults(id: string, answer: unknown): string[] {
  if (!openQuestions.some((question) => question.id === id))
    return ['is not a question of OPEN_QUESTIONS.md'];
  // Somebody wrote the value alone.
  if (isSchema(answer)) return [`must have the form: ${FORM} (got a schema)`];
  const faults = faultsIn(entry, answer, FORM);
  if (typeof answer !== 'object' || answer === null) return faults;
  const { is, inWords } = answer as { readonly is?: unknown; readonly inWords?: unknown };
  if ((is === undefined) === (inWords === undefined)) return [...faults, 'must have either is or inWords'];
  return is === undefined ? faults : [...faults, ...faultsOf(id, is)];
}

/** Where the day begins first, it is 14 hours ahead of UTC. */
const FIRST_ZONE_MS = 14 * 3_600_000;

function dayFaults(answer: unknown, now: Date | undefined): string[] {
  const { on } = (answer ?? {}) as { readonly on?: unknown };
  if (now === undefined || typeof on !== 'string' || !isDay(on)) return [];
  const today = new Date(now.getTime() + FIRST_ZONE_MS).toISOString().slice(0, 10);
  return on > today ? [`on must be the day of the answer, not one to come (got ${JSON.stringify(on)})`] : [];
}

/**
 * What is wrong with answers that are to be carried out, as `<question>: <fault>`; without who gave them.
 *
 * @param values by question
 */
export function valueFaults(values: Readonly<Record<string, unknown>>): string[] {
  const faults = Object.entries(values).flatMap(([id, value]) =>
    faultsOf(id, value).map((fault) => `${id}: ${fault}`),
  );
  return faults.length > 0 ? faults : [...conflictsIn(values)];
}

function faultsOf(id: string, value: unknown): string[] {
  const question = openQuestions.find((one) => one.id === id);
  if (question === undefined) return ['is not a question of OPEN_QUESTIONS.md'];
  if (!isExecutable(id)) return ['can only be answered in words: write inWords instead of is'];
  return faultsIn(kinds[id], value, `${question.answer} OPEN_QUESTIONS.md has an example`);
}

/** Whether a text is a day of the calendar, as `2026-01-31`. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}

/** Contradictions between answers that are carried out. */
function* conflictsIn(answers: AnswerValues): Generator<string> {
  yield* conflictsOfHeaders(answers);
  yield* conflictsOfFields(answers);
  yield* conflictsOfNames(answers);
  yield* conflictsOfResponses(answers);
}

/** Two answers cannot use one header, and what an identifier of events is used for must fit where it is. */
function* conflictsOfHeaders(answers: AnswerValues): Generator<string> {
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

/** The fields of the event are beside the field of the plant, and an identifier is where the schemas allow it. */
function* conflictsOfFields(answers: AnswerValues): Generator<string> {
  const { payload, 'event-identity': identity } = answers;
  if (payload === undefined) return;
  const plantField = plantFieldOf(payload);
  const [plant, event] = [answers['plant-fields'], answers['event-payload-fields']].map(
    (schema) => schema && rootOf(jsonSchemaOf(schema)),
  );
  if (event !== undefined && plantField === undefined) {
    yield "event-payload-fields: needs a payload such as { plantField: 'plant' }, in which the plant is beside the fields of the event";
  } else if (event !== undefined && !isPlainObject(event)) {
    yield 'event-payload-fields: must be one object with its fields in properties, because the plant is beside them';
  } else if (plantField !== undefined && allows(event, plantField) === 'named') {
    yield `payload: plantField cannot be ${plantField}, because event-payload-fields has that field`;
  }
  if (identity === undefined || !('pointer' in identity)) return;
  const [field = ''] = keysOf(identity.pointer);
  const [id, schema] = plantField === undefined ? ['plant-fields', plant] : ['event-payload-fields', event];
  if (field !== plantField && allows(schema, field) === 'forbidden')
    yield `event-identity: points at the field ${field}, which ${id} does not allow`;
}

/** What a schema says of a field of its object. */
function allows(schema: JsonSchema = {}, field: string): 'named' | 'forbidden' | 'allowed' {
  const { properties = {}, patternProperties, additionalProperties } = schema;
  if (Object.hasOwn(properties as object, field)) return 'named';
  return additionalProperties === false && patternProperties === undefined ? 'forbidden' : 'allowed';
}

/** Two schemas in the document cannot have one name, unless they are the same schema. */
function* conflictsOfNames(answers: AnswerValues): Generator<string> {
  const uses = namedComponents(answers);
  for (const [index, { id, name, schema }] of uses.entries()) {
    const first = uses.slice(0, index).find((use) => use.name === name);
    if (first === undefined || (schema && JSON.stringify(schema) === JSON.stringify(first.schema))) continue;
    yield `${id}: has a schema called ${name}, as ${first.id} has. Name one of the two otherwise, in payload or in $defs`;
  }
}

/** Every error payload has its required fields, and a delivery that was acknowledged is not sent again (RFC 9110 §15.3). */
function* conflictsOfResponses(answers: AnswerValues): Generator<string> {
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
