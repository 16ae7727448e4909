import { answers, openQuestions } from '@plant-store/contract';
import { describeInterface } from '../api/describe-interface.js';
import { renderHtml } from '../api/render-html.js';
import { renderMarkdown } from '../api/render-markdown.js';
import { readTextFile } from '../read/read-text-file.js';
import { ToolError } from '../read/tool-error.js';
import { exactly, oneOf, optional, required } from './arguments.js';
import type { Command } from './command.js';
import { writeOrCheck } from './generated-page.js';

const FORMATS = { markdown: renderMarkdown, html: renderHtml };

/** The interface as a page. */
export const api: Command = {
  summary: 'write the interface as a page for people',
  help: `Usage: openapi api --document FILE [--output FILE] [--format markdown|html] [--check] [--mend COMMAND]

Writes what an OpenAPI 3.1 document states, and what the register of @plant-store/contract holds as open or its
answers.ts as answered, as a page: Markdown, or one file of HTML that needs nothing else.

  --document FILE   the OpenAPI document, JSON or YAML; a $ref may lead to other local files
  --output FILE     the page; standard output by default
  --format FORMAT   markdown (default) or html
  --check           write nothing, and fail if the page is not what would be written
  --mend COMMAND    the command that writes the page, to be named in it and if it has drifted

Exit: 0 written or up to date, 1 drifted, 2 the tool could not run.
`,
  options: {
    document: { type: 'string' },
    output: { type: 'string' },
    format: { type: 'string', default: 'markdown' },
    check: { type: 'boolean', default: false },
    mend: { type: 'string' },
  },
  async run(values, positionals, output) {
    exactly([], positionals);
    const document = required(values, 'document');
    const file = optional(values, 'output');
    const format = oneOf(['markdown', 'html'], required(values, 'format'), 'format');
    const generator = optional(values, 'mend') ?? commandOf(document, file, format);
    const text = FORMATS[format](
      describeInterface({ readText: readTextFile, document, questions: openQuestions, answers, generator }),
    );
    if (file === undefined) {
      if (values['check'] === true) throw new ToolError('usage', '--check needs --output');
      output.out(text);
      return 0;
    }
    const page = { file, text, source: 'document, register and answers say', mend: generator };
    return writeOrCheck(page, values['check'] === true, output);
  },
};

function commandOf(document: string, output: string | undefined, format: string): string {
  const to = output === undefined ? '' : ` --output ${output}`;
  return `openapi api --document ${document} --format ${format}${to}`;
}
