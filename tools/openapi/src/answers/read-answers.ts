import { formatPlace, type Place } from '../read/place.js';
import { type ReadText, SourceFiles } from '../read/source-files.js';
import { type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';
import type { EnteredAnswer, EnteredAnswers } from './entered-answers.js';

/**
 * Reads what `openapi answers` writes: `{ "source": PATH, "questions": [ID], "schemas": [ID], "answers": { ID: VALUE } }`,
 * where `schemas` may be left out.
 *
 * @throws ToolError `syntax` if the file says anything else
 */
export function readAnswers(readText: ReadText, path: string): EnteredAnswers {
  const root = new SourceFiles(readText).root(path);
  const source = stringAt(root, 'source');
  const questions = textsIn(valueAt(root, 'questions'));
  const named = valueAt(root, 'schemas');
  const schemas = named === undefined ? [] : textsIn(named);
  const answers = valueAt(root, 'answers');
  if (source === undefined || questions === undefined || schemas === undefined || answers?.kind !== 'map')
    throw fault(root, 'no answers as `openapi answers` writes them');
  const lineOf = linesIn(readText, source);
  const entered = new Map<string, EnteredAnswer>();
  for (const [id, { value }] of answers.entries) {
    if (!questions.includes(id)) throw fault(value, `${id} is answered, and is none of the questions`);
    const line = lineOf(id);
    entered.set(id, { value, file: source, ...(line !== undefined && { line }) });
  }
  return { source, questions, schemas: new Set(schemas), answers: entered };
}

function textsIn(node: SourceNode | undefined): string[] | undefined {
  if (node?.kind !== 'list') return undefined;
  const texts = node.items.flatMap((item) =>
    item.kind === 'scalar' && typeof item.value === 'string' ? [item.value] : [],
  );
  return texts.length === node.items.length ? texts : undefined;
}

/** Finds a question as a key of the source; nothing where the source is not at hand. */
function linesIn(readText: ReadText, source: string): (id: string) => number | undefined {
  const lines = textOf(readText, source).split('\n');
  return (id) => {
    const index = lines.findIndex((line) =>
      [`${id}:`, `'${id}':`, `"${id}":`].some((key) => line.trimStart().startsWith(key)),
    );
    return index === -1 ? undefined : index + 1;
  };
}

function textOf(readText: ReadText, path: string): string {
  try {
    return readText(path);
  } catch (error) {
    if (error instanceof ToolError) return '';
    throw error;
  }
}

function fault(place: Place, problem: string): ToolError {
  return new ToolError('syntax', `${formatPlace(place)}: ${problem}`);
}
