import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import fc from 'fast-check';
import type { JsonSchema } from './json-schema.js';
import { regExpOf, SEED, ValueMaker } from './value-maker.js';

/** The result of validating values of one schema with another. */
export interface Comparison {
  /** A value of the first schema that the second refuses, as small as was found; undefined if none was found. */
  readonly refused?: unknown;
  /** How many values of the first schema were tried. */
  readonly tried: number;
}

const RUNS = 1_000;

/**
 * Looks for a value that fits one schema and that another refuses. It compares by example, and so never says that two
 * schemas are compatible: only that no value was found. The values lie on both sides of every bound, enum value and
 * pattern that either schema has, with each property that may be missing.
 *
 * A property that only the second schema names isn't sent: whoever follows the first doesn't know it.
 *
 * @throws Error if a schema can't be compiled
 */
export function compareSchemas(sent: JsonSchema, taken: JsonSchema): Comparison {
  const [fits, takes] = [compile(sent), compile(taken)];
  let tried = 0;
  const property = fc.property(new ValueMaker(sent, taken, compile).valuesOf(sent), (value) => {
    if (!fits(value)) return true;
    tried += 1;
    return takes(value);
  });
  const { failed, counterexample } = fc.check(property, { seed: SEED, numRuns: RUNS });
  if (!failed || counterexample === null) return { tried };
  return { refused: counterexample[0], tried };
}

const regExp = Object.assign((pattern: string) => regExpOf(pattern), { code: 'regExpOf' });

/** Any keyword is allowed, and a pattern is read as people write it. */
export const ajvOptions = { strict: false, validateSchema: false, logger: false, code: { regExp } } as const;
const ajv = new Ajv2020(ajvOptions);
ajvFormats.default(ajv);

/** Says whether values fit a schema. A format that is not known is a comment. @throws Error if it can't be compiled */
export function compile(schema: JsonSchema): (value: unknown) => boolean {
  return ajv.compile(schema) as (value: unknown) => boolean;
}
