import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { type Change, changesBetween } from '../src/changes/changes.js';
import type { Party } from '../src/changes/unit.js';
import { pointerSteps } from '../src/read/json-pointer.js';
import { ToolError } from '../src/read/tool-error.js';
import { reader, withSchema } from './documents.js';
import { pairs, values, type WrittenPayload } from './schemas.js';

/** `WITNESS_PAIRS=10000` looks at as many pairs of documents. */
const PAIRS = Number(process.env['WITNESS_PAIRS'] ?? 400);
const TIME_OUT = 30_000 + PAIRS * 100;

describe('over pairs of schemas, by ajv', () => {
  it(
    'what is called breaking has a witness, and no value breaks a party for whom nothing is breaking',
    () => {
      const property = fc.property(
        pairs,
        fc.array(values, { minLength: 60, maxLength: 60 }),
        (pair, given) => {
          const found = changesOf(pair);
          const text = JSON.stringify(pair);
          fc.pre(found !== undefined);
          const [before, after] = pair.map(validatorOf);
          fc.pre(before !== undefined && after !== undefined);
          const sides = { receiver: [after, before], sender: [before, after] } as const;
          for (const party of ['receiver', 'sender'] as const) {
            const [writer, reader] = sides[party];
            const witnesses = found.flatMap((change) => witnessOf(change, party));
            for (const { value, schema } of witnesses) {
              const [allows, takes] = schema === '' ? [writer, reader] : partsOf(pair, party, schema);
              expect({ value, allowed: allows(value), taken: takes(value) }).toEqual({
                value,
                allowed: true,
                taken: false,
              });
            }
            const isFine = found.every(
              ({ verdicts }) => (verdicts[party] ?? 'not breaking') === 'not breaking',
            );
            const others = found.flatMap(({ witnesses: all }) =>
              Object.values(all).map(({ value }) => value),
            );
            const breaking = [...given, ...others].find((value) => writer(value) && !reader(value));
            if (isFine) expect({ text, party, breaking }).toEqual({ text, party, breaking: undefined });
          }
        },
      );
      fc.assert(property, { numRuns: PAIRS, maxSkipsPerRun: 10 });
    },
    TIME_OUT,
  );
});

function witnessOf({ verdicts, witnesses }: Change, party: Party) {
  expect(verdicts[party] === 'breaking').toBe(witnesses[party] !== undefined);
  return witnesses[party] ?? [];
}

/** Undefined if a document can't be read: its references lead nowhere. */
function changesOf(pair: readonly WrittenPayload[]): readonly Change[] | undefined {
  const [before = '', after = ''] = pair.map(({ schema, schemas }) => withSchema(schema, schemas));
  try {
    return changesBetween({
      before: { readText: reader({ a: before }), path: 'a' },
      after: { readText: reader({ b: after }), path: 'b' },
    });
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

type Validator = (value: unknown) => boolean;

const OPTIONS = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  ownProperties: true,
  logger: false,
} as const;

/** By the document as it is written. Undefined if ajv can't decide. */
function validatorOf({ schema, schemas }: WrittenPayload): Validator | undefined {
  return compiled({ allOf: [schema], components: { schemas } });
}

function compiled(schema: object): Validator | undefined {
  try {
    const validate: ValidateFunction = new Ajv2020(OPTIONS).compile(schema);
    return (value) => {
      try {
        return validate(value);
      } catch {
        // A schema that applies itself to the same value.
        fc.pre(false);
        return false;
      }
    };
  } catch {
    return undefined;
  }
}

/** What the writer and the reader say about a part of the payload. */
function partsOf([before, after]: readonly [WrittenPayload, WrittenPayload], party: Party, pointer: string) {
  const parts = [before, after].map(({ schema, schemas }) => {
    const follow = (part: unknown): unknown => {
      const { $ref, ...rest } = (part ?? {}) as { $ref?: keyof typeof schemas };
      return $ref === undefined || Object.keys(rest).length > 0
        ? part
        : follow(schemas[$ref.slice(-1) as 'A' | 'B']);
    };
    let part = follow(schema);
    for (const step of pointerSteps(pointer)) {
      const next = (part as Record<string, unknown>)[step];
      part = follow(step === '$ref' ? { $ref: next } : next);
    }
    return compiled({ allOf: [part], components: { schemas } }) ?? (() => false);
  });
  return party === 'receiver' ? ([parts[1]!, parts[0]!] as const) : ([parts[0]!, parts[1]!] as const);
}
