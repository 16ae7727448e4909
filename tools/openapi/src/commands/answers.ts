import { answers, openQuestions } from '@plant-store/contract';
import { ANSWERS_SOURCE, answersText } from '../answers/answers-text.js';
import { exactly, optional } from './arguments.js';
import type { Command } from './command.js';
import { writeFile } from './generated-page.js';

/** The answers on the code's side. */
export const answersCommand: Command = {
  summary: 'write the answers of the code as JSON',
  help: `Usage: openapi answers [--output FILE]

Writes what @plant-store/contract says as JSON, to be held against the overlay by diff and ledger --answers:

  { "source": PATH, "questions": [ID], "schemas": [ID], "answers": { ID: VALUE } }

A question is in \`schemas\` if it is answered with a schema; its value is the JSON Schema.

  --output FILE   where to write it; standard output by default

Exit: 0 written, 1 there are answers that cannot be carried out, each named on the standard error, 2 the tool
could not run.
`,
  options: { output: { type: 'string' } },
  async run(values, positionals, { out, err }) {
    exactly([], positionals);
    const file = optional(values, 'output');
    const ids = openQuestions.map(({ id }) => id);
    const written = answersText(answers, ids);
    if ('faults' in written) {
      for (const fault of written.faults) err(`${ANSWERS_SOURCE}: ${fault}\n`);
      return 1;
    }
    if (file === undefined) out(written.text);
    else writeFile(file, written.text);
    return 0;
  },
};
