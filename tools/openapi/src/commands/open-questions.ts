import { answers, openQuestions } from '@plant-store/contract';
import { renderOpenQuestions } from '../register/render-open-questions.js';
import { exactly, optional, required } from './arguments.js';
import type { Command } from './command.js';
import { writeOrCheck } from './generated-page.js';

/** The register of open questions as a page. */
export const openQuestionsCommand: Command = {
  summary: 'write the register of open questions as a page',
  help: `Usage: openapi open-questions [--output FILE] [--check] [--mend COMMAND]

Writes OPEN_QUESTIONS.md from the register of @plant-store/contract and the answers in its answers.ts.

  --output FILE    the page; OPEN_QUESTIONS.md by default
  --check          write nothing, and fail if the page is not what would be written
  --mend COMMAND   the command that writes the page, to be named if it has drifted

Exit: 0 written or up to date, 1 drifted, 2 the tool could not run.
`,
  options: {
    output: { type: 'string', default: 'OPEN_QUESTIONS.md' },
    check: { type: 'boolean', default: false },
    mend: { type: 'string' },
  },
  async run(values, positionals, output) {
    exactly([], positionals);
    const file = required(values, 'output');
    const text = renderOpenQuestions(openQuestions, answers);
    const mend = optional(values, 'mend') ?? `node tools/openapi/dist/cli.js open-questions --output ${file}`;
    const page = { file, text, source: 'the register says', mend };
    return writeOrCheck(page, values['check'] === true, output);
  },
};
