import { answers, openQuestions } from '@plant-store/contract';
import { renderHtml } from '../format/html.js';
import { prettify } from '../format/markdown.js';
import { type Page, renderMarkdown } from '../format/page.js';
import { describeInterface } from '../pages/interface.js';
import { readTextFile } from '../read/read-text-file.js';
import { choice, type Command, exactly, required } from './command.js';
import { ANSWER_HELP, ANSWER_OPTIONS, givenAnswers } from './given-answers.js';
import { PAGE_HELP, PAGE_OPTIONS, writePage } from './page.js';

const GENERATOR = 'npx nx run openapi:api';

const FORMATS = {
  markdown: (page: Page) => prettify(renderMarkdown(page), 'markdown'),
  html: renderHtml,
};

/** The interface as a page. */
export const api: Command = {
  summary: 'write the page of the interface (docs/API.md, docs/api.html)',
  help: `Usage: openapi api --document FILE --output FILE [--format markdown|html] [--check]

Writes the page of this interface: what its OpenAPI document states, and each question of @plant-store/contract,
open or answered. It refuses any other document. The HTML page is one file that needs nothing else.

  --document FILE   apps/webhook/openapi.json, or another version of it
  --output FILE     the page
  --format FORMAT   markdown (default) or html
${ANSWER_HELP}
${PAGE_HELP}`,
  options: {
    ...PAGE_OPTIONS,
    ...ANSWER_OPTIONS,
    document: { type: 'string' },
    output: { type: 'string' },
    format: { type: 'string', default: 'markdown' },
  },
  async run(values, positionals, output) {
    exactly([], positionals);
    const document = required(values, 'document');
    const file = required(values, 'output');
    const render = choice(values, 'format', FORMATS);
    const text = await render(
      describeInterface({
        readText: readTextFile,
        document,
        questions: openQuestions,
        answers: givenAnswers(answers, values),
        generator: GENERATOR,
      }),
    );
    return writePage({ file, text, generator: GENERATOR }, values, output);
  },
};
