import ts from 'typescript';

/**
 * Enters an answer in the text of answers.ts. Everything else stays as it is. A new answer is put in the order of the
 * register.
 *
 * @param {string} source
 * @param {string} question
 * @param {unknown} value as JSON; undefined removes the answer, with the comments beside it
 * @param {readonly string[]} questions every question, in the order of the register
 * @returns {string} not formatted
 */
export function enterInSource(source, question, value, questions) {
  const { object, properties } = readAnswers(source);
  const index = properties.findIndex(({ name }) => name === question);
  const known = properties[index];
  /** The end of the line of a property, which may have a comment; -1 is the line of the brace. @param {number} at */
  const endOf = (at) => {
    const from = properties[at]?.end ?? object.getStart() + 1;
    const lineEnd = source.indexOf('\n', from);
    return Math.min(lineEnd === -1 ? source.length : lineEnd, properties[at + 1]?.start ?? object.end - 1);
  };
  if (value === undefined) {
    return known === undefined ? source : source.slice(0, endOf(index - 1)) + source.slice(endOf(index));
  }
  const line = `${JSON.stringify(question)}: ${JSON.stringify(value)}`;
  if (known !== undefined) return source.slice(0, known.start) + line + source.slice(known.end);
  const rank = questions.indexOf(question);
  const next = properties.findIndex(({ name }) => questions.indexOf(name) > rank);
  const previous = (next === -1 ? properties.length : next) - 1;
  const end = endOf(previous);
  return `${withComma(source, properties[previous]?.end, end)}\n${line},\n${source.slice(end)}`;
}

/**
 * The text up to `to`, with a comma after the property that ends at `end`.
 *
 * @param {string} source
 * @param {number | undefined} end
 * @param {number} to
 */
function withComma(source, end, to) {
  const hasComma = end === undefined || /^\s*,/.test(source.slice(end));
  return hasComma ? source.slice(0, to) : `${source.slice(0, end)},${source.slice(end, to)}`;
}

/** @param {string} source */
function readAnswers(source) {
  const file = ts.createSourceFile('answers.ts', source, ts.ScriptTarget.Latest, true);
  const declarations = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  let object = declarations.find(({ name }) => name.getText(file) === 'answers')?.initializer;
  while (object !== undefined && (ts.isAsExpression(object) || ts.isSatisfiesExpression(object)))
    object = object.expression;
  if (object === undefined || !ts.isObjectLiteralExpression(object))
    throw new Error(
      'answers.ts has no object literal `answers`. Enter the answer by hand: docs/answering.md',
    );
  const properties = object.properties.map((property) => ({
    name: nameOf(property.name),
    start: property.getStart(file),
    end: property.end,
  }));
  return { object, properties };
}

/** @param {import('typescript').PropertyName | undefined} name */
function nameOf(name) {
  return name !== undefined && ts.isStringLiteralLike(name) ? name.text : (name?.getText() ?? '');
}
