import { child, mapOf, parse, readText, type SourceNode, stepsOf, formatPlace } from '../gate/read.js';
import { ToolError } from '../tool-error.js';

/** A file, and a line of it. */
export interface Position {
  readonly file: string;
  readonly line?: number | undefined;
}

/** `path:line`, or `path`. */
export function formatPosition({ file, line }: Position): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Finds the code that produces what the document has at a JSON Pointer. */
export type ProducerOf = (pointer: string) => Position | undefined;

/**
 * Reads a sources file: an object from JSON Pointer to the code that produces what is there and below. The longest
 * pointer counts. The code is a path, or `{ "file": path, "near": text }` for the first line that has the text.
 *
 * @throws ToolError `bad-sources` if the file says something else, or names a file or a text that isn't there
 */
export function readProducers(file: string | undefined): ProducerOf {
  if (file === undefined) return () => undefined;
  const entries = mapOf(parse(readText(file), file));
  if (entries === undefined) throw new ToolError('bad-sources', `${file}: expected an object`);
  const producers = Array.from(entries, ([pointer, node]) => ({
    steps: stepsOf(pointer),
    position: positionIn(node),
  })).sort((one, other) => other.steps.length - one.steps.length);
  return (pointer) => {
    const steps = stepsOf(pointer);
    return producers.find((entry) => entry.steps.every((step, at) => step === steps[at]))?.position;
  };
}

function positionIn(node: SourceNode): Position {
  const fault = (problem: string, cause?: unknown) =>
    new ToolError('bad-sources', `${formatPlace(node.place)}: ${problem}`, { cause });
  const file = typeof node.value === 'string' ? node.value : child(node, 'file')?.value;
  if (typeof file !== 'string') throw fault('expected a path, or an object with `file` and `near`');
  const near = child(node, 'near')?.value as string | undefined;
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw fault((error as Error).message, error);
  }
  if (near === undefined) return { file };
  const offset = text.indexOf(near);
  if (offset === -1) throw fault(`${file} does not contain \`${near}\``);
  return { file, line: text.slice(0, offset).split('\n').length };
}
