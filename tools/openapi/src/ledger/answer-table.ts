import type { OpenQuestion } from '@plant-store/contract';
import { factsOf } from '../answers/facts-of.js';
import type { HeldAnswer } from '../answers/held-answer.js';
import { valueText } from '../answers/value-text.js';
import { code, escape } from '../format/markdown.js';
import type { GateReport } from '../gate/gate.js';
import type { SourceNode } from '../read/source-node.js';

const HEAD = [
  '| State | Question | Answer | Answered by | On | Why | Facts of the document |',
  '| --- | --- | --- | --- | --- | --- | --- |',
];

/** An answer may add a schema that stands in very many places; what is beyond is counted. */
const MAX_FACTS = 100;

/** Each answered question as a row: its value, who answered it, when and why, and the facts that it made. */
export function answerTable(input: {
  readonly report: GateReport;
  readonly questions: readonly OpenQuestion[];
}): string {
  const { report, questions } = input;
  const rows = report.answers.map((held) => {
    const { state, question, action } = held;
    const entry = questions.find(({ id }) => id === question);
    const name = entry === undefined ? question : `${entry.title} (${entry.section}, ${question})`;
    const provenance = action === undefined ? [] : [action.answeredBy, action.date, action.reason];
    const [by = '', on = '', why = ''] = provenance.map(escape);
    const cells = [
      state,
      escape(name),
      valueOf(held, report),
      by,
      on,
      why,
      listed(factsOf(held, report.findings)),
    ];
    return `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  });
  return [...HEAD, ...rows].join('\n');
}

/** One value where there is one; both where overlay and code differ. */
function valueOf({ state, action, entered }: HeldAnswer, report: GateReport): string {
  if (state === 'answered' || report.entered === undefined) return shown(action?.answer);
  return `overlay: ${shown(action?.answer)}<br>code: ${shown(entered?.value)}`;
}

function shown(value: SourceNode | undefined): string {
  return value === undefined ? 'nothing' : code(valueText(value));
}

function listed(facts: readonly string[]): string {
  if (facts.length === 0) return 'none';
  const more = facts.length - MAX_FACTS;
  return [...facts.slice(0, MAX_FACTS).map(code), ...(more > 0 ? [`and ${more} more`] : [])].join('<br>');
}
