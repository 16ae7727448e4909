import { existsSync, rmSync } from 'node:fs';
import type { ComparedAnswer } from '../answers/compare.js';
import type { OverlayAnswer, Provenance } from '../answers/overlay-actions.js';
import { enterInOverlay, removeFromOverlay } from '../answers/write-overlay.js';
import { gate, type GateReport } from '../gate/gate.js';
import { type Action, isDate } from '../overlay/read-overlay.js';
import { readTextFile } from '../read/read-text-file.js';
import { toPlain } from '../read/source-node.js';
import { ToolError } from '../read/tool-error.js';
import { type Command, exactly, required, type Values } from './command.js';
import { GATE_HELP, GATE_OPTIONS, gateInput } from './gate-input.js';
import { replaceFile } from './page.js';

/** The specification's side of an answer. */
export const enterCommand: Command = {
  summary: "write an answer of the code into the overlay; 'npm run answer' runs it",
  help: `Usage: openapi enter --question ID --who TEXT --date DATE --reason TEXT [options]
       openapi enter --question ID --remove [options]

Writes the actions of a question that the code answers: its value, who answered, when and why, and what the answer
adds to the document. If the actions of other questions no longer fit the document, it corrects them. They keep who,
when and why.

${GATE_HELP}
  --question ID     a question of the register
  --who TEXT        who answered
  --date DATE       when, as 2026-01-31
  --reason TEXT     why, or where to read it
  --remove          remove the actions of the question instead

Exit: 0 written, 2 the tool could not run.
`,
  options: {
    ...GATE_OPTIONS,
    question: { type: 'string' },
    who: { type: 'string' },
    date: { type: 'string' },
    reason: { type: 'string' },
    remove: { type: 'boolean', default: false },
  },
  async run(values, positionals, { out }) {
    exactly([], positionals);
    const question = required(values, 'question');
    const overlay = required(values, 'overlay');
    const input = gateInput(values);
    const before = existsSync(overlay) ? readTextFile(overlay) : undefined;
    const reportOf = (text: string | undefined): GateReport => {
      const readText = (path: string) => (path === overlay && text !== undefined ? text : readTextFile(path));
      return gate({ ...input, readText, overlay: text === undefined ? undefined : overlay });
    };
    const { entered, implied } = reportOf(before);
    if (entered === undefined) throw new ToolError('usage', '--answers is missing');
    const { answers, questions, source } = entered;
    const answerTo = (id: string, provenance: Provenance): OverlayAnswer => {
      const value = answers.get(id)?.value;
      if (value === undefined) throw new ToolError('usage', `${source} has no answer to ${id}`);
      return { question: id, value: toPlain(value), actions: implied?.get(id)?.actions ?? [], provenance };
    };

    const own =
      values['remove'] === true
        ? before && (await removeFromOverlay(before, question))
        : await enterInOverlay(before, [answerTo(question, provenanceIn(values))], questions);
    const others = misfits(reportOf(own)).filter(({ question: id }) => id !== question && answers.has(id));
    const corrected = others.map(({ question: id, action }) => answerTo(id, provenanceOf(action)));
    const text = own && (await enterInOverlay(own, corrected, questions));
    if (text === undefined) rmSync(overlay, { force: true });
    else replaceFile(overlay, text);
    out(`${overlay}  ${text === before ? 'unchanged' : 'changed'}\n`);
    return 0;
  },
};

/** The answers of the overlay whose actions don't add what the code adds. */
function misfits({ answers, problems }: GateReport): (ComparedAnswer & { action: Action })[] {
  return answers.flatMap(({ action, ...answer }) =>
    action !== undefined && problems?.has(answer.question) === true ? [{ ...answer, action }] : [],
  );
}

function provenanceIn(values: Values): Provenance {
  const date = required(values, 'date');
  if (!isDate(date)) throw new ToolError('usage', `--date is "${date}": write a date such as 2026-01-31`);
  return { who: required(values, 'who'), date, reason: required(values, 'reason') };
}

function provenanceOf({ answeredBy, date, reason }: Action): Provenance {
  return { who: answeredBy, date, reason };
}
