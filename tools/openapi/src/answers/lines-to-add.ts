import { stringify } from 'yaml';
import type { SourceNode } from '../read/source-node.js';
import { toPlain } from '../read/to-plain.js';
import { codeText, keyText } from './code-text.js';

/** How the formatter writes YAML. */
const LAYOUT = { singleQuote: true, lineWidth: 0 } as const;

/** An action of the overlay that says this answer, without what only a person knows. */
export function actionToAdd(question: string, value: SourceNode): string {
  const action = {
    target: '$',
    'x-question': question,
    'x-answer': toPlain(value),
    'x-answered-by': '<who answered>',
    'x-date': '<when, as 2026-01-31>',
    'x-reason': '<why, or where to read it>',
  };
  return indented(stringify([action], LAYOUT), '  ');
}

/** What an overlay starts with. */
export function overlayHead(): string {
  const head = { overlay: '1.0.0', info: { title: 'Answers to the open questions', version: '1.0.0' } };
  return `${stringify(head, LAYOUT)}actions:`;
}

/** The field of an action that says this answer. */
export function fieldToAdd(value: SourceNode | undefined): string {
  const answer = value === undefined ? '<the answer>' : toPlain(value);
  return indented(stringify({ 'x-answer': answer }, LAYOUT), '    ');
}

/** The lines of answers.ts that say this answer. */
export function linesToAdd(question: string, value: SourceNode): string {
  const name = `  ${keyText(question)}: `;
  return `${name}${codeText(toPlain(value), '  ', name.length + 1)},`;
}

/** The line of answers.ts that has a schema in place of these words. */
export function schemaToAdd(question: string): string {
  return `  ${keyText(question)}: <a schema>,`;
}

function indented(lines: string, by: string): string {
  return lines.trimEnd().replace(/^(?=.)/gm, by);
}
