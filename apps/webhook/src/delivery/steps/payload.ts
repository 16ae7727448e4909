import { type AnswerSchema, type ExecutableAnswers, plantFieldOf } from '@plant-store/contract';

import { Refusal } from '../../http/refusal.js';
import type { ContentStep } from '../pipeline.js';

/** A byte order mark is not removed, and is then a fault: JSON must not begin with one (RFC 8259 §8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses the content. Refuses what isn't JSON in UTF-8. */
export const parseJson: ContentStep = (delivery) => {
  try {
    delivery.json = JSON.parse(utf8.decode(delivery.content));
  } catch (cause) {
    throw new Refusal('content-malformed', undefined, { cause });
  }
};

/** The schemas of a payload's fields. A schema that is undefined allows anything. */
interface PayloadSchemas {
  readonly plant: AnswerSchema | undefined;
  /** Of the fields beside the plant. */
  readonly event: AnswerSchema | undefined;
}

/**
 * Refuses content of another shape, or whose fields don't match their schemas (questions `payload`, `plant-fields`,
 * `event-payload-fields`). It is synchronous unless a schema isn't.
 */
export function validatePayload(
  payload: ExecutableAnswers['payload'],
  { plant, event }: PayloadSchemas,
): ContentStep {
  const plantField = plantFieldOf(payload);
  const checks = [
    ...(plant === undefined ? [] : [(payload: Payload) => validate(plant, payload.plant)]),
    ...(event === undefined ? [] : [(payload: Payload) => validate(event, payload.event())]),
  ];
  return ({ json }) => {
    const payload =
      plantField === undefined ? { plant: json, event: () => undefined } : splitAt(plantField, json);
    const results = checks.map((check) => check(payload));
    return results.every(isReady) ? refuseIssues(results) : refuseIssuesLater(results);
  };
}

interface Payload {
  readonly plant: unknown;
  readonly event: () => unknown;
}

/** The plant is in a field of the content, beside the fields of the event. */
function splitAt(field: string, json: unknown): Payload {
  if (!isObject(json) || !Object.hasOwn(json, field)) throw invalid();
  return { plant: json[field], event: () => without(field, json) };
}

function without(field: string, json: object): object {
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== field));
}

type Validation = ReturnType<AnswerSchema['~standard']['validate']>;
type Result = Awaited<Validation>;

function validate(schema: AnswerSchema, value: unknown): Validation {
  return schema['~standard'].validate(value);
}

const isReady = (result: Validation): result is Result => !(result instanceof Promise);

async function refuseIssuesLater(results: readonly Validation[]): Promise<void> {
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
