import type { OpenQuestion } from '@plant-store/contract';
import { showAnswer } from '../answers/show-answer.js';
import { SourceFiles } from '../read/source-files.js';
import { describeFields } from './describe-content.js';
import { DocumentReader } from './document-reader.js';
import { jsonText } from './json-text.js';
import { type Block, type Text, textOf } from './page.js';

/** An answer as the page shows it: words, a literal, JSON, or the fields of a schema with its examples. */
export function describeAnswer({ id, title }: OpenQuestion, answer: unknown): Block[] {
  const shown = showAnswer(id, answer);
  switch (shown.kind) {
    case 'words':
      return [inLine(textOf(shown.text))];
    case 'literal':
      return [inLine([{ code: shown.text }])];
    case 'json':
      return [{ kind: 'code', caption: ['Answer:'], language: 'json', code: jsonText(shown.value) }];
    case 'schema':
      return [inLine(['these fields']), ...fieldsOf(shown.schema, `Answer: ${title}`)];
  }
}

function inLine(value: Text): Block {
  return { kind: 'facts', facts: [{ name: 'Answer', value }] };
}

/** A file of its own, since its references lead to itself. */
function fieldsOf(schema: unknown, caption: string): Block[] {
  const files = new SourceFiles(() => JSON.stringify(schema));
  return describeFields(new DocumentReader(files), files.root('schema.json'), caption);
}
