import { openQuestions } from '@plant-store/contract';
import { ACCEPTS_SOURCE } from '../answers/answers-file.js';
import { renderLedger } from '../pages/ledger.js';
import { type Command, exactly, required } from './command.js';
import { GATE_HELP, GATE_OPTIONS, runGate } from './gate-input.js';
import { PAGE_HELP, PAGE_OPTIONS, writePage } from './page.js';

const GENERATOR = 'npx nx run openapi:contract-diff';

/** The difference between specification and document as a page. */
export const ledger: Command = {
  summary: 'write the page with each fact and its state (docs/CONTRACT-DIFF.md)',
  help: `Usage: openapi ledger --baseline FILE --document FILE [options]

Writes a page with one row for each fact: its state, its name, its pointer, what the specification states, what
the document says, and the section or the question. It lists each answer with who gave it, when and why, and the
facts that it adds, what is accepted beside it for a while, and each open question. Findings don't fail this command; they fail diff.

${GATE_HELP}
  --output FILE     the page; docs/CONTRACT-DIFF.md by default
${PAGE_HELP}`,
  options: { ...GATE_OPTIONS, ...PAGE_OPTIONS, output: { type: 'string', default: 'docs/CONTRACT-DIFF.md' } },
  async run(values, positionals, output) {
    exactly([], positionals);
    const file = required(values, 'output');
    const { report, baseline, document, overlay } = runGate(values);
    const accepts = report.entered?.accepts.size ? ACCEPTS_SOURCE : undefined;
    const sources = [baseline, overlay, report.entered?.source, accepts, document].filter(
      (path) => path !== undefined,
    );
    const text = renderLedger({ report, questions: openQuestions, generator: GENERATOR, sources });
    return writePage({ file, text, generator: GENERATOR }, values, output);
  },
};
