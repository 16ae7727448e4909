import {
  type Accepts,
  answerFaults,
  type Answers,
  type AnswerSchema,
  type ExecutableAnswers,
  type ExecutableId,
  plainAnswers,
} from '@plant-store/contract';
import { type ReadText, SourceFiles } from '../read/source-files.js';
import { formatPlace, type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';

/** The file in which answers are entered on the code's side. */
export const ANSWERS_SOURCE = 'libs/contract/src/answers.ts';

/** The file that says what is accepted beside the answers. */
export const ACCEPTS_SOURCE = 'libs/contract/src/accepts.ts';

type SchemaId = {
  [Id in ExecutableId]: ExecutableAnswers[Id] extends AnswerSchema ? Id : never;
}[ExecutableId];

/** The questions that are answered with a schema. The compiler asks for a row where the contract's type is one. */
const ANSWERED_WITH_SCHEMA: Readonly<Record<SchemaId, true>> = {
  'event-payload-fields': true,
  'plant-fields': true,
};

/** The answers of the code as a file holds them. */
export interface EnteredAnswers {
  /** The file in which answers are entered. */
  readonly source: string;
  /** Every known question. */
  readonly questions: readonly string[];
  /** The questions that are answered with a schema. Their value is the JSON Schema. */
  readonly schemas: ReadonlySet<string>;
  /** By question. */
  readonly answers: ReadonlyMap<string, EnteredAnswer>;
  /** What is accepted beside the answers for a while, by question. */
  readonly accepts: ReadonlyMap<string, SourceNode>;
}

/** One answer of the code. */
export interface EnteredAnswer {
  readonly value: SourceNode;
  readonly file: string;
  /** Where the file names the question first, if it does. */
  readonly line?: number;
}

/**
 * The answers of the contract as the text of a file for `readAnswers`, or what is wrong with them.
 *
 * @param accepts what is accepted beside the answers
 */
export function writeAnswers(
  answers: Answers,
  questions: readonly string[],
  accepts: Accepts = {},
): { readonly text: string } | { readonly faults: readonly string[] } {
  const faults = answerFaults(answers);
  if (faults.length > 0) return { faults };
  const schemas = Object.keys(ANSWERED_WITH_SCHEMA);
  const file = { source: ANSWERS_SOURCE, questions, schemas, answers: plainAnswers(answers), accepts };
  return { text: `${JSON.stringify(file, null, 2)}\n` };
}

/**
 * Reads `{ "source": PATH, "questions": [ID], "schemas": [ID], "answers": { ID: VALUE }, "accepts": { ID: VALUE } }`, as
 * `openapi answers` writes it. `schemas` and `accepts` may be left out.
 *
 * @throws ToolError `syntax` if the file says something else
 */
export function readAnswers(readText: ReadText, path: string): EnteredAnswers {
  const root = new SourceFiles(readText).root(path);
  const source = stringAt(root, 'source');
  const questions = textsIn(valueAt(root, 'questions'));
  const named = valueAt(root, 'schemas');
  const schemas = named === undefined ? [] : textsIn(named);
  const answers = valueAt(root, 'answers');
  if (source === undefined || questions === undefined || schemas === undefined || answers?.kind !== 'map')
    throw fault(root, 'not a file of answers. Write it with: openapi answers --output FILE');
  const lines = linesOf(readText, source);
  const entered = new Map<string, EnteredAnswer>();
  for (const [id, { value }] of answers.entries) {
    if (!questions.includes(id)) throw fault(value, `${id} has an answer and is not one of the questions`);
    const keys = [`${id}:`, `'${id}':`, `"${id}":`];
    const index = lines.findIndex((line) => keys.some((key) => line.trimStart().startsWith(key)));
    entered.set(id, { value, file: source, ...(index !== -1 && { line: index + 1 }) });
  }
  const accepted = valueAt(root, 'accepts');
  const accepts = new Map(
    accepted?.kind === 'map' ? Array.from(accepted.entries, ([id, { value }]) => [id, value]) : [],
  );
  return { source, questions, schemas: new Set(schemas), answers: entered, accepts };
}

function textsIn(node: SourceNode | undefined): string[] | undefined {
  if (node?.kind !== 'list') return undefined;
  const texts = node.items.flatMap((item) =>
    item.kind === 'scalar' && typeof item.value === 'string' ? [item.value] : [],
  );
  return texts.length === node.items.length ? texts : undefined;
}

/** The lines of a file; none if it can't be read, for the answers don't need it. */
function linesOf(readText: ReadText, path: string): string[] {
  try {
    return readText(path).split('\n');
  } catch (error) {
    if (error instanceof ToolError) return [];
    throw error;
  }
}

function fault(node: SourceNode, problem: string): ToolError {
  return new ToolError('syntax', `${formatPlace(node)}: ${problem}`);
}
