import { Validator } from '@seriousme/openapi-schema-validator';
import { factGraph } from '../facts/fact-graph.js';
import { pointerSteps } from '../read/json-pointer.js';
import { formatPlace } from '../read/place.js';
import { readOpenapi } from '../read/read-openapi.js';
import { SourceFiles, type ReadText } from '../read/source-files.js';
import { descend, type SourceNode } from '../read/source-node.js';
import { toPlain } from '../read/to-plain.js';

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
