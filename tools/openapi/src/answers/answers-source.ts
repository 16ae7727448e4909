import ts from 'typescript';
import { ToolError } from '../tool-error.js';
import { ANSWERS_SOURCE } from '../gate/code-answers.js';

/**
 * Enters an answer in the text of answers.ts. Everything else stays as it is. A new answer is put in the order of the
 * register.
 *
 * @param value as JSON; undefined removes the answer, with the comments beside it. What only the old answer used goes too
 * @param questions every question, in the order of the register
 * @returns not formatted
 * @throws ToolError `bad-answers` if the text has no object literal `answers`
 */
export function enterInSource(
  source: string,
  question: string,
  value: unknown,
  questions: readonly string[],
): string {
  const { object, properties } = readAnswers(source);
  const index = properties.findIndex(({ name }) => name === question);
  const known = properties[index];
  /** The end of a property with its comma and the comments after it; -1 is the brace. */
  const endOf = (at: number): number => {
    const property = properties[at];
    const end = property?.comma ?? property?.end ?? object.getStart() + 1;
    return ts.getTrailingCommentRanges(source, end)?.at(-1)?.end ?? end;
  };
  if (value === undefined) {
    if (known === undefined) return source;
    return withoutUnused(source.slice(0, endOf(index - 1)) + source.slice(endOf(index)));
  }
  const line = `${JSON.stringify(question)}: ${JSON.stringify(value)}`;
  if (known !== undefined)
    return withoutUnused(source.slice(0, known.start) + line + source.slice(known.end));
  const rank = questions.indexOf(question);
  const next = properties.findIndex(({ name }) => questions.indexOf(name) > rank);
  const previous = (next === -1 ? properties.length : next) - 1;
  const last = properties[previous];
  const at = endOf(previous);
  const comma = last === undefined || last.comma !== undefined ? '' : ',';
  const end = last?.end ?? at;
  return `${source.slice(0, end)}${comma}${source.slice(end, at)}\n${line},${source.slice(at)}`;
}

function readAnswers(source: string) {
  const file = ts.createSourceFile('answers.ts', source, ts.ScriptTarget.Latest, true);
  const declarations = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  let object = declarations.find(({ name }) => name.getText(file) === 'answers')?.initializer;
  while (object !== undefined && (ts.isAsExpression(object) || ts.isSatisfiesExpression(object)))
    object = object.expression;
  if (object === undefined || !ts.isObjectLiteralExpression(object))
    throw new ToolError(
      'bad-answers',
      `${ANSWERS_SOURCE} has no object literal \`answers\`. Enter the answer by hand: docs/how-to/answer-a-question.md`,
    );
  const parts = object.getChildren(file).flatMap((child) => child.getChildren(file));
  const properties = object.properties.map((property) => {
    const next = parts[parts.indexOf(property) + 1];
    return {
      name: nameOf(property.name),
      start: property.getStart(file),
      end: property.end,
      /** The end of the comma after it. */
      comma: next?.kind === ts.SyntaxKind.CommaToken ? next.end : undefined,
    };
  });
  return { object, properties };
}

function nameOf(name: ts.PropertyName | undefined): string {
  return name !== undefined && ts.isStringLiteralLike(name) ? name.text : (name?.getText() ?? '');
}

/** The packages that the text of answers.ts imports. */
export function importedBy(source: string): string[] {
  const { importedFiles } = ts.preProcessFile(source);
  return importedFiles
    .filter(({ fileName }) => !fileName.startsWith('.'))
    .map(({ fileName }) => fileName.split('/', fileName.startsWith('@') ? 2 : 1).join('/'));
}

/** What TypeScript says of an import, a constant or a type that nothing uses. */
const UNUSED = [6133, 6192, 6196, 6198, 6199];

/** A text without the imports and declarations that nothing uses, as an editor removes them. */
function withoutUnused(source: string): string {
  const file = '/answers.ts';
  let [text, version] = [source, 0];
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ noLib: true, noResolve: true, noUnusedLocals: true, types: [] }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => String(version),
    getScriptSnapshot: (name) => (name === file ? ts.ScriptSnapshot.fromString(text) : undefined),
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '',
    fileExists: (name) => name === file,
    readFile: () => undefined,
  });
  // Without one of them, others may be unused.
  for (;;) {
    const found = service.getSemanticDiagnostics(file).filter(({ code }) => UNUSED.includes(code));
    const fixes = found.flatMap(({ start = 0, length = 0, code }) =>
      service.getCodeFixesAtPosition(file, start, start + length, [code], {}, {}),
    );
    const fix = fixes.find(({ fixName }) => fixName === 'unusedIdentifier');
    if (fix === undefined) return text;
    const changes = fix.changes.flatMap(({ textChanges }) => textChanges);
    for (const { span, newText } of changes.toReversed())
      text = text.slice(0, span.start) + newText + text.slice(span.start + span.length);
    version += 1;
  }
}
