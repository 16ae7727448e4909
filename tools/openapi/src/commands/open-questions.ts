import { writeFileSync } from 'node:fs';
import { answers, openQuestions } from '@plant-store/contract';
import { readTextFile } from '../read/read-text-file.js';
import { ToolError } from '../read/tool-error.js';
import { renderOpenQuestions } from '../register/render-open-questions.js';
import { exactly, optional, required } from './arguments.js';
import type { Command, ExitCode, Output } from './command.js';

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
    const page = renderOpenQuestions(openQuestions, answers);
    const mend = optional(values, 'mend') ?? `node tools/openapi/dist/cli.js open-questions --output ${file}`;
    return values['check'] === true ? check(file, page, mend, output) : write(file, page, output);
  },
};

function check(file: string, page: string, mend: string, { out }: Output): ExitCode {
  const isCurrent = textOf(file) === page;
  out(isCurrent ? `${file}: up to date\n` : `${file}: not what the register says. Run: ${mend}\n`);
  return isCurrent ? 0 : 1;
}

/** A page that is not there has drifted as well. */
function textOf(file: string): string | undefined {
  try {
    return readTextFile(file);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'unreadable') return undefined;
    throw error;
  }
}

function write(file: string, page: string, { out }: Output): ExitCode {
  try {
    writeFileSync(file, page);
  } catch (error) {
    throw new ToolError('unreadable', `${file}: cannot be written: ${(error as Error).message}`);
  }
  out(`${file}: written\n`);
  return 0;
}
