import { formatPlace } from '../read/place.js';
import { pointerSteps } from '../read/json-pointer.js';
import { type ReadText, SourceFiles } from '../read/source-files.js';
import { stringAt, type SourceNode, valueAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';

/** The code that a part of the document comes from. */
export interface Producer {
  readonly file: string;
  /** Where the text that the sources file names stands in it. */
  readonly line?: number;
}

/** Finds the producer of the fact at a JSON Pointer. */
export type ProducerOf = (pointer: string) => Producer | undefined;

/**
 * Reads a sources file: a JSON or YAML object from JSON Pointer to the code that produces what is there and
 * below, the longest pointer first. The code is a path, or `{ "file": path, "near": text }` for the first
 * line that has that text, a decorator for instance.
 *
 * @throws ToolError `bad-sources`, also if a file or a text that it names is not there
 */
export function readProducers(readText: ReadText, path: string): ProducerOf {
  const root = new SourceFiles(readText).root(path);
  if (root.kind !== 'map') throw fault(root, 'not an object from JSON Pointer to file');
  const producers = Array.from(root.entries, ([pointer, { value }]) => ({
    steps: pointerSteps(pointer),
    producer: readProducer(value, readText),
  })).sort((one, other) => other.steps.length - one.steps.length);
  return (pointer) => {
    const steps = pointerSteps(pointer);
    return producers.find((entry) => entry.steps.every((step, index) => step === steps[index]))?.producer;
  };
}

function readProducer(node: SourceNode, readText: ReadText): Producer {
  const file = node.kind === 'scalar' ? node.value : stringAt(node, 'file');
  if (typeof file !== 'string') throw fault(node, 'expected a path, or an object with `file` and `near`');
  const text = textOf(file, node, readText);
  const near = stringAt(node, 'near');
  if (near === undefined) {
    if (valueAt(node, 'near') !== undefined) throw fault(node, '`near` is no text');
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
