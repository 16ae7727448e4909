import { answers, openQuestions } from '@plant-store/contract';
import { prettify } from '../format/markdown.js';
import { renderMarkdown } from '../format/page.js';
import { describeOpenQuestions } from '../pages/questions.js';
import { type Command, exactly, required } from './command.js';
import { ANSWER_HELP, ANSWER_OPTIONS, givenAnswers } from './given-answers.js';
import { PAGE_HELP, PAGE_OPTIONS, writePage } from './page.js';

const GENERATOR = 'npx nx run openapi:open-questions';

/** The register of open questions as a page. */
export const openQuestionsCommand: Command = {
  summary: 'write the page of open questions (OPEN_QUESTIONS.md)',
  help: `Usage: openapi open-questions [--output FILE] [options]

Writes the register of @plant-store/contract as a page, with the answers of its answers.ts.

  --output FILE     the page; OPEN_QUESTIONS.md by default
${ANSWER_HELP}
${PAGE_HELP}`,
  options: { ...PAGE_OPTIONS, ...ANSWER_OPTIONS, output: { type: 'string', default: 'OPEN_QUESTIONS.md' } },
  async run(values, positionals, output) {
    exactly([], positionals);
    const file = required(values, 'output');
    const page = describeOpenQuestions(openQuestions, givenAnswers(answers, values), GENERATOR);
    const text = await prettify(renderMarkdown(page), 'markdown');
    return writePage({ file, text, generator: GENERATOR }, values, output);
  },
};
