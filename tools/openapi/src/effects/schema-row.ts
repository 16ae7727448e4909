import type { EffectRow, Others, Step } from './effect-row.js';
import { fieldsInWords, type JsonSchema } from './json-schema.js';

/** What the sentences of an answer that is a schema say. */
interface Words {
  readonly one: string;
  readonly many: string;
  readonly receiver: string;
  readonly sender: string;
  /** The step of opening the question again. */
  readonly whenOpened: Step;
  /** The status with which a receiver refuses what doesn't fit; undefined while it doesn't look at it. */
  readonly refusal: (others: Others) => number | undefined;
}

/**
 * What an answer means that is a schema. Two schemas that differ may refuse each other's values: whether they do is left
 * to the reader (docs/decisions/022-schemas-that-differ.md).
 */
export function schemaRow(words: Words): EffectRow<JsonSchema> {
  const { one, many, receiver, sender, whenOpened, refusal } = words;
  return {
    inWords: fieldsInWords,
    receiver: (schema, others) => {
      const status = refusal(others);
      if (status === undefined) return undefined;
      return `${receiver}: ${fieldsInWords(schema)}; ${one.replace(/^an? /, 'another ')} gets ${status}.`;
    },
    sender: (schema) => `${sender}: ${fieldsInWords(schema)}.`,
    change: (before, after, others) => {
      if (before === undefined || after === undefined || refusal(others) === undefined) return {};
      return {
        receiver: `May refuse ${many} that it took, and take ${many} that it refused: compare the two schemas.`,
      };
    },
    fails: (from, to, others) => {
      const status = refusal(others);
      if (status === undefined || to === undefined) return undefined;
      return from === undefined
        ? `${one} that doesn't fit gets ${status}`
        : `${one} that fits only the other schema gets ${status}`;
    },
    step: (_before, after) => (after === undefined ? whenOpened : 'major'),
    accepts: () => `If every one of the old ${many} fits the new schema, receivers first.`,
  };
}
