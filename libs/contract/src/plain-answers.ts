import { isSchema, jsonSchemaOf } from './answer-kinds/schema.js';
import type { Answers } from './answer-types.js';

/**
 * Answers as JSON, which can be written down, shown and compared: a schema becomes the JSON Schema of what it takes,
 * everything else is plain already.
 */
export function plainAnswers(answers: Answers): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answers).map(([id, answer]) => [id, isSchema(answer) ? jsonSchemaOf(answer) : answer]),
  );
}
