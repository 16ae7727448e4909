import { type Answers, type AnswerSchema, executableOf } from '@plant-store/contract';
import { jsonSchemaOf } from '@plant-store/contract/document';
import {
  collect,
  exampleValues,
  isObject,
  type JsonSchema,
  readerOf,
  scalarsOf,
  textsOf,
} from './example-values.js';

/** How many of the values that fit are changed, and how many changes are tried. */
const CHANGED = 8;
const CHANGES = 100_000;

/** What conversions take for a number, true or false. */
const CONVERTIBLE = ['1', '-1.5', 'true', 'false', 'yes'];

/** A value, and where it was changed. */
type Changed = readonly [value: unknown, place: string];

/**
 * Tries the schemas of answers with examples, as `<question>: <fault>`. The document must allow what the schema's own
 * library takes, and nothing else. The examples are values of the JSON Schema, each also changed in one place. Without a
 * fault, no example was found: that is no proof.
 *
 * Characters beyond U+FFFF are not tried, because libraries count one as two.
 *
 * @param answers in which `answerFaults` finds nothing
 */
export async function triedFaults(answers: Answers): Promise<string[]> {
  const carried = executableOf(answers);
  const ids = ['plant-fields', 'event-payload-fields'] as const;
  const faults = await Promise.all(
    ids.map(async (id) => carried[id] && (await faultOf(carried[id], jsonSchemaOf(carried[id])))),
  );
  return faults.flatMap((fault, index) =>
    fault === undefined
      ? []
      : `${ids[index]}: ${fault}. Write what JSON Schema can say: no flags, conversions, values in place of wrong ones, own checks`,
  );
}

/** @param stated its JSON Schema */
async function faultOf(schema: AnswerSchema, stated: JsonSchema): Promise<string | undefined> {
  const readings = readingsOf(stated);
  const fitting = new Map<string, unknown>();
  const tryValue = async (value: unknown, place = 'the whole'): Promise<string | undefined> => {
    const issue = await issueOf(schema, value);
    const refusals = readings.map((check) => check(value));
    if (issue === undefined && refusals.every((refusal) => refusal !== undefined))
      return `the schema takes ${shown(value)}, which the document refuses (${refusals[0]})`;
    if (issue !== undefined && refusals.every((refusal) => refusal === undefined))
      return `the document allows ${shown(value)}, which the schema refuses (${place}: ${issue})`;
    if (issue === undefined && refusals.includes(undefined)) fitting.set(JSON.stringify(value), value);
    return undefined;
  };
  for (const value of exampleValues(stated)) {
    const fault = await tryValue(value);
    if (fault !== undefined) return fault;
  }
  const others = [...scalarsOf(stated), ...variantsOf(stated), {}, []];
  // The largest have the most places. Each has its turn.
  const largest = [...fitting].sort(([one], [other]) => other.length - one.length);
  let turns = largest.slice(0, CHANGED).map(([, value]) => changesOf(value, others));
  for (let tried = 0; turns.length > 0 && tried < CHANGES;) {
    for (const turn of turns) {
      const next = turn.next();
      if (next.done) turns = turns.filter((one) => one !== turn);
      const fault = next.done ? undefined : await tryValue(...next.value);
      if (fault !== undefined) return fault;
      tried += 1;
    }
  }
  return undefined;
}

/** What the library of a schema says is wrong with a value. */
async function issueOf(schema: AnswerSchema, value: unknown): Promise<string | undefined> {
  try {
    // A schema may change what it validates.
    const { issues } = await schema['~standard'].validate(structuredClone(value));
    return issues && (issues[0]?.message ?? 'is not valid');
  } catch (error) {
    return `it throws: ${(error as Error).message}`;
  }
}

/** What a reader of the document says who checks every format, and one for whom a format is a comment. */
function readingsOf(schema: JsonSchema): ((value: unknown) => string | undefined)[] {
  return [true, false].map((validateFormats) => {
    const ajv = readerOf(validateFormats);
    for (const format of collect(schema).get('format') ?? [])
      if (typeof format === 'string') ajv.formats[format] ??= () => false;
    const validate = ajv.compile(schema);
    return (value) => {
      if (validate(value)) return undefined;
      const { instancePath = '', message = 'is not valid' } = validate.errors?.[0] ?? {};
      return `${instancePath} ${message}`.trimStart();
    };
  });
}

/** Texts that almost fit: of another case, in several lines, with more around them. */
function variantsOf(schema: JsonSchema): string[] {
  const said = collect(schema);
  const texts = [
    ...[...(said.get('pattern') ?? [])].flatMap((pattern) =>
      textsOf(String(pattern))
        .sort((one, other) => one.length - other.length)
        .slice(0, 3),
    ),
    ...[...(said.get('enum') ?? []), ...(said.get('const') ?? [])]
      .flat()
      .filter((one) => typeof one === 'string'),
  ];
  const varied = texts.flatMap((text) => [
    ...[text.toUpperCase(), text.toLowerCase(), ` ${text} `, `a${text}`, `${text}\n`, `\n${text}\n`],
    ...Array.from(text.slice(0, 9), (_, index) => `${text.slice(0, index)}\n${text.slice(index + 1)}`),
  ]);
  return [...new Set([...CONVERTIBLE, ...varied])];
}

/** A value with another one in each place, without each of its fields, and with one more. */
function* changesOf(value: unknown, others: readonly unknown[], place = ''): Generator<Changed, undefined> {
  // Some libraries take a list for an object whose fields are all optional. Nobody sends one.
  for (const other of others)
    if (!Array.isArray(other) || !isObject(value)) yield [other, place || 'the whole'];
  if (typeof value === 'number' || typeof value === 'boolean') yield [String(value), place || 'the whole'];
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    yield [[...items, ...items], place];
    for (const [index, item] of items.slice(0, 2).entries())
      for (const [changed, where] of changesOf(item, others, `${place}/${index}`))
        yield [items.with(index, changed), where];
  }
  if (!isObject(value)) return;
  yield [{ ...value, 'another field': '' }, place || 'the whole'];
  for (const [name, member] of Object.entries(value)) {
    yield [Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)), `${place}/${name}`];
    for (const [changed, where] of changesOf(member, others, `${place}/${name}`))
      yield [{ ...value, [name]: changed }, where];
  }
}

function shown(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= 200 ? json : `${json.slice(0, 200)}…`;
}
