import { stringify } from 'yaml';
import { prettify } from '../format/prettier.js';
import type { SourceNode } from '../read/source-node.js';
import { toPlain } from '../read/to-plain.js';

/** As Prettier writes YAML. */
const LAYOUT = { singleQuote: true, lineWidth: 0 } as const;

/** An action of the overlay with this answer. A person fills in what stands in angle brackets. */
export function actionLines(question: string, value: SourceNode): string {
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

/** The field of an action that has this answer. */
export function fieldLines(value: SourceNode | undefined): string {
  const answer = value === undefined ? '<the answer>' : toPlain(value);
  return indented(stringify({ 'x-answer': answer }, LAYOUT), '    ');
}

/** The lines of answers.ts that have this answer. */
export async function answerLines(question: string, value: SourceNode): Promise<string> {
  const source = `answers = {\n${JSON.stringify({ [question]: toPlain(value) }).slice(1, -1)}}`;
  const lines = (await prettify(source, 'babel')).trimEnd().split('\n');
  return lines.slice(1, -1).join('\n');
}

/** The line of answers.ts where a schema goes. */
export function schemaLines(question: string): string {
  return `  ${/^\w+$/.test(question) ? question : `'${question}'`}: <a schema>,`;
}

function indented(lines: string, by: string): string {
  return lines.trimEnd().replace(/^(?=.)/gm, by);
}
