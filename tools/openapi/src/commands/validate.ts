import { Validator } from '@seriousme/openapi-schema-validator';
import { factGraph } from '../facts/fact-graph.js';
import { plainName, pointerSteps } from '../read/json-pointer.js';
import { readTextFile } from '../read/read-text-file.js';
import { readOpenapi, type ReadText, SourceFiles } from '../read/source-files.js';
import { descend, formatPlace, type SourceNode, toPlain } from '../read/source-node.js';
import { visible } from '../read/visible.js';
import { choice, type Command, exactly } from './command.js';

const FORMATS = {
  text: (file: string, faults: readonly StructuralFault[]) =>
    faults.length === 0
      ? `${file}: valid OpenAPI 3.1\n`
      : faults
          .map(({ at, pointer, problem }) => `${at}: ${plainName(pointer)} ${visible(problem)}\n`)
          .join(''),
  json: (_file: string, faults: readonly StructuralFault[]) => `${JSON.stringify({ faults }, null, 2)}\n`,
};

/** The structure of a document, whatever it states. */
export const validate: Command = {
  summary: 'check that a document is valid OpenAPI 3.1',
  help: `Usage: openapi validate FILE [--format text|json]

Checks a document with the JSON Schema of OpenAPI 3.1, and follows every $ref in it.

Exit: 0 valid, 1 not valid, 2 the tool could not run: not JSON or YAML, not OpenAPI 3.1, a $ref to nothing.
`,
  options: { format: { type: 'string', default: 'text' } },
  async run(values, positionals, { out }) {
    const [file = ''] = exactly(['FILE'], positionals);
    const format = choice(values, 'format', FORMATS);
    const faults = await structuralFaults(readTextFile, file);
    out(format(file, faults));
    return faults.length === 0 ? 0 : 1;
  },
};

/** A place of a document that breaks the structure of OpenAPI 3.1. */
export interface StructuralFault {
  readonly pointer: string;
  /** `path:line` */
  readonly at: string;
  readonly problem: string;
}

/** The part of an error of Ajv that is used here. */
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Keywords whose errors only repeat what the errors of their parts say. */
const WRAPPERS = ['if', 'dependentSchemas', 'allOf', 'anyOf', 'oneOf', '$ref'];

/**
 * Checks a document with the JSON Schema of OpenAPI 3.1.
 *
 * The validator's own check of references is not used: it takes a property called `$id` or an example with
 * `$ref` for a reference, and knows no other files. References are checked by following them.
 *
 * @throws ToolError if the file, or a reference in it, cannot be read
 */
export async function structuralFaults(readText: ReadText, path: string): Promise<StructuralFault[]> {
  const files = new SourceFiles(readText);
  const root = readOpenapi(files, path);
  factGraph(files, root);
  const { errors } = await new Validator().validate(toPlain(root) as Record<string, unknown>);
  if (!Array.isArray(errors)) return [];
  const telling = errors.filter(({ keyword }) => !WRAPPERS.includes(keyword));
  return distinct((telling.length > 0 ? telling : errors).map((error) => fault(error as SchemaError, root)));
}

function fault(
  { instancePath, params, message = 'is not valid' }: SchemaError,
  root: SourceNode,
): StructuralFault {
  const node = descend(root, pointerSteps(instancePath)) ?? root;
  const named = ['additionalProperty', 'unevaluatedProperty', 'propertyName'].map((name) => params[name]);
  const detail = named.find((name) => typeof name === 'string') ?? allowed(params);
  const problem = detail === undefined ? message : `${message}: ${detail}`;
  return { pointer: instancePath, at: formatPlace(node), problem };
}

function allowed({ allowedValues }: Readonly<Record<string, unknown>>): string | undefined {
  return Array.isArray(allowedValues) ? allowedValues.join(', ') : undefined;
}

function distinct(faults: readonly StructuralFault[]): StructuralFault[] {
  return [...new Map(faults.map((one) => [`${one.pointer} ${one.problem}`, one])).values()];
}
