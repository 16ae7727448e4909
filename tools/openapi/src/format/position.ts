import type { Fact } from '../facts/fact.js';
import { pointerSteps } from '../read/json-pointer.js';
import { type ReadText, SourceFiles } from '../read/source-files.js';
import { formatPlace, type Place, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';

/** A file, and a line of it where one is known. */
export interface Position {
  readonly file: string;
  readonly line?: number;
}

/** A value as JSON text, and where it is written. */
export interface Statement extends Position {
  readonly value: string;
}

/** Where something of a source file is written. */
export function positionOf({ file, start }: Place): Required<Position> {
  return { file: file.path, line: file.lineAt(start) };
}

/** A fact, and where it is written. */
export function statementOf({ text, place }: Fact): Statement {
  return { value: text, ...positionOf(place) };
}

/** `path:line`, or `path`. */
export function formatPosition({ file, line }: Position): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Finds the code that produces what the document has at a JSON Pointer. */
export type ProducerOf = (pointer: string) => Position | undefined;

/**
 * Reads a sources file: a JSON or YAML object from JSON Pointer to the code that produces what is there and
 * below. The longest pointer counts. The code is a path, or `{ "file": path, "near": text }` for the first
 * line that has the text, a decorator for instance.
 *
 * @throws ToolError `bad-sources` if the file says something else, or names a file or a text that isn't there
 */
export function readProducers(readText: ReadText, path: string | undefined): ProducerOf {
  if (path === undefined) return () => undefined;
  const root = new SourceFiles(readText).root(path);
  if (root.kind !== 'map') throw fault(root, 'expected an object from JSON Pointer to file');
  const producers = Array.from(root.entries, ([pointer, { value }]) => ({
    steps: pointerSteps(pointer),
    producer: readProducer(value, readText),
  })).sort((one, other) => other.steps.length - one.steps.length);
  return (pointer) => {
    const steps = pointerSteps(pointer);
    return producers.find((entry) => entry.steps.every((step, index) => step === steps[index]))?.producer;
  };
}

function readProducer(node: SourceNode, readText: ReadText): Position {
  const file = node.kind === 'scalar' ? node.value : stringAt(node, 'file');
  if (typeof file !== 'string') throw fault(node, 'expected a path, or an object with `file` and `near`');
  const text = textOf(file, node, readText);
  const near = stringAt(node, 'near');
  if (near === undefined) {
    if (valueAt(node, 'near') !== undefined) throw fault(node, '`near` must be a text');
    return { file };
  }
  const offset = text.indexOf(near);
  if (offset === -1) throw fault(node, `${file} does not contain \`${near}\``);
  return { file, line: text.slice(0, offset).split('\n').length };
}

function textOf(file: string, node: SourceNode, readText: ReadText): string {
  try {
    return readText(file);
  } catch (error) {
    if (error instanceof ToolError) throw fault(node, error.message);
    throw error;
  }
}

function fault(node: SourceNode, problem: string): ToolError {
  return new ToolError('bad-sources', `${formatPlace(node)}: ${problem}`);
}
