import { compareSchemas, type Comparison } from './compare-schemas.js';
import type { EffectRow, Others, Step } from './effect-row.js';
import { fieldsInWords, type JsonSchema, typesOf } from './json-schema.js';

/** What the sentences of an answer that is a schema say. */
interface Words {
  readonly one: string;
  readonly many: string;
  readonly receiver: string;
  readonly sender: string;
  /** The step of the first answer, and of opening the question again, if it doesn't follow from the schema. */
  readonly whenFirst: Step | undefined;
  /** The status with which a receiver refuses what doesn't fit; undefined while it doesn't look at it. */
  readonly refusal: (others: Others) => number | undefined;
}

type Schema = JsonSchema | undefined;

/**
 * What an answer means that is a schema. All of it follows from one comparison: of the values that one schema allows
 * with those of the other. The types of a sender are compared in the same way, as TypeScript sees the schemas.
 */
export function schemaRow({ one, many, receiver, sender, whenFirst, refusal }: Words): EffectRow<JsonSchema> {
  return {
    inWords: fieldsInWords,
    receiver: (schema, others) => {
      const status = refusal(others);
      if (status === undefined) return undefined;
      return `${receiver}: ${fieldsInWords(schema)}; ${one.replace(/^an? /, 'another ')} gets ${status}.`;
    },
    sender: (schema) => `${sender}: ${fieldsInWords(typesOf(schema))}.`,
    change: (before, after, others) => {
      if (refusal(others) === undefined) return {};
      const [narrower, wider] = [compare(before, after), compare(after, before)];
      const rollout = `No counterexample in ${narrower.tried} values of the old schema and ${wider.tried} of the new one.`;
      // The first answer says what it refuses.
      if (before === undefined || after === undefined) return { rollout };
      const sentences = [
        ...('refused' in narrower ? [`Refuses ${many} that it took, such as ${shown(narrower)}.`] : []),
        ...('refused' in wider ? [`Takes ${many} that it refused, such as ${shown(wider)}.`] : []),
      ];
      return {
        receiver: sentences.join(' ') || rollout,
        ...('refused' in narrower && { sender: `May no longer send ${many} such as ${shown(narrower)}.` }),
        rollout,
      };
    },
    fails: (from, to, others) => {
      const status = refusal(others);
      if (status === undefined) return undefined;
      const found = compare(from, to);
      return 'refused' in found ? `${one} such as ${shown(found)} gets ${status}` : undefined;
    },
    step: (before, after, others) => {
      if (whenFirst !== undefined && (before === undefined || after === undefined)) return whenFirst;
      const types = [before, after].map((schema) => schema && typesOf(schema));
      const pairs = refusal(others) === undefined ? [types] : [types, [before, after]];
      const isFound = (from: 0 | 1) => pairs.some((pair) => 'refused' in compare(pair[from], pair[1 - from]));
      return isFound(0) ? 'major' : isFound(1) ? 'minor' : 'patch';
    },
  };
}

const known = new Map<string, Comparison>();

/** An open question allows every value. */
function compare(sent: Schema = {}, taken: Schema = {}): Comparison {
  const key = JSON.stringify([sent, taken]);
  const comparison = known.get(key) ?? compareSchemas(sent, taken);
  known.set(key, comparison);
  return comparison;
}

const MAX_TEXT = 40;
const MAX_VALUE = 200;

/** The value as JSON, long texts cut. */
function shown({ refused }: Comparison): string {
  const cut = (text: string, room: number): string =>
    text.length <= room ? text : `${text.slice(0, room)}… (${text.length} characters)`;
  const json = JSON.stringify(refused, (_key, value: unknown) =>
    typeof value === 'string' ? cut(value, MAX_TEXT) : value,
  );
  return `\`${cut(json, MAX_VALUE)}\``;
}
