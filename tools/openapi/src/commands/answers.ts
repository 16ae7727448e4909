import { acceptFaults, accepts, answers, openQuestions, overdueFaults } from '@plant-store/contract';
import { ACCEPTS_SOURCE, ANSWERS_SOURCE, writeAnswers } from '../answers/answers-file.js';
import { type Command, exactly, optional } from './command.js';
import { writeFile } from './page.js';

/** The answers on the code's side. */
export const answersCommand: Command = {
  summary: 'write the answers of the code as JSON',
  help: `Usage: openapi answers [--output FILE]

Writes the answers of @plant-store/contract as JSON, for --answers of diff and ledger:

  { "source": PATH, "questions": [ID], "schemas": [ID], "answers": { ID: VALUE }, "accepts": { ID: VALUE } }

A question is in \`schemas\` if its answer is a schema; the value is its JSON Schema. \`accepts\` is what
is accepted beside the answers for a while.

  --output FILE   where to write it; standard output by default

Exit: 0 written, 1 an answer cannot be carried out, or the time in accepts is over
(the standard error names each), 2 the tool could not run.
`,
  options: { output: { type: 'string' } },
  async run(values, positionals, { out, err }) {
    exactly([], positionals);
    const file = optional(values, 'output');
    const ids = openQuestions.map(({ id }) => id);
    const written = writeAnswers(answers, ids, accepts);
    if ('faults' in written) {
      for (const fault of written.faults) err(`${ANSWERS_SOURCE}: ${fault}\n`);
      return 1;
    }
    const today = new Date().toISOString().slice(0, 10);
    const faults = [...acceptFaults(accepts, answers), ...overdueFaults(accepts, today)];
    if (faults.length > 0) {
      for (const fault of faults) err(`${ACCEPTS_SOURCE}: ${fault}\n`);
      return 1;
    }
    if (file === undefined) out(written.text);
    else writeFile(file, written.text);
    return 0;
  },
};
