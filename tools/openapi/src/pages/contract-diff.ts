import {
  type ComparedAnswer,
  type Finding,
  type GateReport,
  passes,
  tally,
  tallyLine,
} from '../gate/gate.js';
import type { SourceNode } from '../gate/read.js';
import { plain, textOf } from '../gate/read.js';
import { code, escape, table } from '../markdown.js';
import { nameOf } from '../report/report.js';

/** What is accepted beside an answer for a while. */
export type Accepted = Readonly<
  Record<string, { also: unknown; until: string; decidedBy: string; reason: string }>
>;

/**
 * docs/CONTRACT-DIFF.md: the difference between specification and document. The specified facts have a row each; what
 * differs, is answered or isn't carried out has its own table. It has no line numbers, so that a row changes only with
 * its fact.
 */
export function renderContractDiff(report: GateReport, accepts: Accepted, questions: number): string {
  const differing = report.findings.filter(({ state }) => state !== 'answered');
  const open = questions - report.answers.length;
  return [
    '# The document beside the specification',
    `**${tallyLine(tally(report))}, [${open} open](../OPEN_QUESTIONS.md)**`,
    differing.length === 0
      ? 'The document says what the specification and the answers state, and nothing else.'
      : table(
          ['State', 'Fact', 'Specification or answer', 'Document', 'Question'],
          differing.map(findingRow),
        ),
    ...section(
      'Answered',
      ['Question', 'State', 'Answer', 'Answered by', 'On', 'Why', 'In the document'],
      report.answers.map((answer) => answerRow(answer, report)),
    ),
    ...section(
      'Accepted for a while',
      ['Question', 'Accepted too', 'Until', 'Decided by', 'Why'],
      Object.entries(accepts).map(([id, { also, until, decidedBy, reason }]) => [
        escape(id),
        code(JSON.stringify(also)),
        until,
        escape(decidedBy),
        escape(reason),
      ]),
    ),
    '## Specified',
    table(
      ['Fact', 'Value', 'Section'],
      report.specified.map(({ pointer, text, place }) => [
        escape(nameOf(pointer)),
        code(text),
        place.comment ?? '',
      ]),
    ),
  ].join('\n\n');
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [`## ${title}`, table(head, rows)];
}

function findingRow({ state, reason, pointer, stated, shown, action }: Finding): string[] {
  return [
    reason === undefined ? state : `${state}: ${reason}`,
    escape(nameOf(pointer)),
    code(stated?.text ?? ''),
    code(shown?.text ?? ''),
    escape(action?.question ?? ''),
  ];
}

function answerRow({ state, question, action, entered }: ComparedAnswer, { findings }: GateReport): string[] {
  const facts = findings.filter(
    (finding) => finding.state === 'answered' && finding.action?.question === question,
  );
  const isOne = passes({ state });
  const valueOf = (node: SourceNode | undefined) => (node === undefined ? 'nothing' : code(wordsOf(node)));
  return [
    `[${escape(question)}](../OPEN_QUESTIONS.md)`,
    state,
    isOne
      ? valueOf(action?.answer)
      : `overlay: ${valueOf(action?.answer)}<br>code: ${valueOf(entered?.value)}`,
    escape(action?.answeredBy ?? ''),
    action?.date ?? '',
    escape(action?.reason ?? ''),
    facts.length === 0 ? 'nothing' : `${facts.length} ${facts.length === 1 ? 'fact' : 'facts'}`,
  ];
}

/** Words as they are, any other value as JSON. */
function wordsOf(node: SourceNode): string {
  const value = plain(node) as { inWords?: unknown } | null;
  return typeof value?.inWords === 'string' ? value.inWords : textOf(node);
}
