import type { AnswerSchema, PayloadShape } from '@plant-store/contract';

import type { ContentStep } from '../answers/receiver-effect.js';
import { Refusal } from '../http/refusal.js';

/** What the fields of a payload have to be; a schema that is not there asks for nothing. */
interface PayloadSchemas {
  readonly plant: AnswerSchema | undefined;
  /** Of the fields beside the plant. */
  readonly event: AnswerSchema | undefined;
}

/** Refuses content whose fields are not as agreed on (questions `payload`, `plant-fields`, `event-payload-fields`). */
export function checkPayload(shape: PayloadShape, { plant, event }: PayloadSchemas): ContentStep {
  const split = shape === 'plant' ? unsplit : splitAt(shape.plantField);
  const checks = [
    ...(plant === undefined ? [] : [(payload: Payload) => check(plant, payload.plant)]),
    ...(event === undefined ? [] : [(payload: Payload) => check(event, payload.event)]),
  ];
  return async ({ json }) => {
    const payload = split(json);
    for (const isRight of checks) if (!(await isRight(payload))) throw invalid();
  };
}

interface Payload {
  readonly plant: unknown;
  readonly event: unknown;
}

/** The plant is the content, and what else is told of the event stands among its fields. */
function unsplit(json: unknown): Payload {
  return { plant: json, event: json };
}

/** The plant is under a field of the content. */
function splitAt(field: string): (json: unknown) => Payload {
  return (json) => {
    if (!isObject(json) || !Object.hasOwn(json, field)) throw invalid();
    const { [field]: plant, ...event } = json;
    return { plant, event };
  };
}

async function check(schema: AnswerSchema, value: unknown): Promise<boolean> {
  const { issues } = await schema['~standard'].validate(value);
  return issues === undefined;
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function invalid(): Refusal {
  return new Refusal('content-invalid');
}
