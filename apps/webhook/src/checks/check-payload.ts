import type { AnswerSchema, PayloadShape } from '@plant-store/contract';

import type { ContentStep } from '../answers/receiver-effect.js';
import { Refusal } from '../http/refusal.js';

/** What the fields of a payload have to be; a schema that is not there asks for nothing. */
interface PayloadSchemas {
  readonly plant: AnswerSchema | undefined;
  /** Of the fields beside the plant. */
  readonly event: AnswerSchema | undefined;
}

/**
 * Refuses content whose fields are not as agreed on (questions `payload`, `plant-fields`, `event-payload-fields`); at
 * once, unless a schema takes its time.
 */
export function checkPayload(shape: PayloadShape, { plant, event }: PayloadSchemas): ContentStep {
  const split = shape === 'plant' ? unsplit : splitAt(shape.plantField);
  const checks = [
    ...(plant === undefined ? [] : [(payload: Payload) => validate(plant, payload.plant)]),
    ...(event === undefined ? [] : [(payload: Payload) => validate(event, payload.event())]),
  ];
  return ({ json }) => {
    const payload = split(json);
    const results = checks.map((check) => check(payload));
    return results.every(isThere) ? refuseIssues(results) : refuseOnceThere(results);
  };
}

interface Payload {
  readonly plant: unknown;
  readonly event: () => unknown;
}

/** The plant is the content, and what else is told of the event stands among its fields. */
function unsplit(json: unknown): Payload {
  return { plant: json, event: () => json };
}

/** The plant is under a field of the content. */
function splitAt(field: string): (json: unknown) => Payload {
  return (json) => {
    if (!isObject(json) || !Object.hasOwn(json, field)) throw invalid();
    const { [field]: plant } = json;
    return { plant, event: () => without(field, json) };
  };
}

function without(field: string, json: object): object {
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== field));
}

type Validated = ReturnType<AnswerSchema['~standard']['validate']>;
type Result = Awaited<Validated>;

function validate(schema: AnswerSchema, value: unknown): Validated {
  return schema['~standard'].validate(value);
}

const isThere = (result: Validated): result is Result => !(result instanceof Promise);

async function refuseOnceThere(results: readonly Validated[]): Promise<void> {
  refuseIssues(await Promise.all(results.map(async (result) => result)));
}

function refuseIssues(results: readonly Result[]): void {
  if (results.some(({ issues }) => issues !== undefined)) throw invalid();
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function invalid(): Refusal {
  return new Refusal('content-invalid');
}
