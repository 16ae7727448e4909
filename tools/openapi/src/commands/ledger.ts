import { existsSync } from 'node:fs';
import { openQuestions } from '@plant-store/contract';
import { gate } from '../gate/gate.js';
import { renderLedger } from '../ledger/render-ledger.js';
import { readTextFile } from '../read/read-text-file.js';
import { exactly, optional, required } from './arguments.js';
import type { Command } from './command.js';
import { writeOrCheck } from './generated-page.js';

/** The difference between specification and document as a page. */
export const ledger: Command = {
  summary: 'write every fact with its state as a page',
  help: `Usage: openapi ledger --baseline FILE --document FILE [options]

Writes a page with one row for each fact: its state, its name, its pointer, what the specification states,
what the document says, and the section or the question. Each answer is listed with who gave it, when and why,
and the facts that it made; so are the open questions of the register of @plant-store/contract. Findings do not
fail this command; they fail diff.

  --baseline FILE   what the specification states; a comment at a value names the section that states it
  --document FILE   what is published
  --overlay FILE    answers to what is open, as OpenAPI Overlay 1.0.0; none if there is no such file
  --answers FILE    the same answers as the code has them: what \`openapi answers\` writes
  --output FILE     the page; docs/CONTRACT-DIFF.md by default
  --check           write nothing, and fail if the page is not what would be written
  --mend COMMAND    the command that writes the page: the page names it, and so does --check on drift

Exit: 0 written or up to date, 1 drifted, 2 the tool could not run.
`,
  options: {
    baseline: { type: 'string' },
    document: { type: 'string' },
    overlay: { type: 'string' },
    answers: { type: 'string' },
    output: { type: 'string', default: 'docs/CONTRACT-DIFF.md' },
    check: { type: 'boolean', default: false },
    mend: { type: 'string' },
  },
  async run(values, positionals, output) {
    exactly([], positionals);
    const file = required(values, 'output');
    const baseline = required(values, 'baseline');
    const document = required(values, 'document');
    const overlay = optional(values, 'overlay');
    const mend = optional(values, 'mend') ?? 'openapi ledger';
    const given = overlay !== undefined && existsSync(overlay) ? overlay : undefined;
    const answers = optional(values, 'answers');
    const report = gate({ readText: readTextFile, baseline, document, overlay: given, answers });
    const sources = [baseline, overlay, report.entered?.source, document].filter(
      (path) => path !== undefined,
    );
    const text = renderLedger({ report, questions: openQuestions, generator: mend, sources });
    const page = { file, text, source: 'baseline, answers and document say', mend };
    return writeOrCheck(page, values['check'] === true, output);
  },
};
