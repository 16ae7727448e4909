import { type ComparedAnswer, type GateReport, isClean, tally, tallyLine } from '../gate/gate.js';
import { nameOf, plain, type SourceNode, textOf } from '../gate/read.js';
import { code, escape, table } from '../markdown.js';

/** What is accepted beside an answer for a while. */
export type Accepted = Readonly<
  Record<string, { also: readonly unknown[]; until: string; decidedBy: string; reason: string }>
>;

/**
 * docs/reference/contract-diff.md: the document beside the specification. Each specified fact and each answer has a row. It has no
 * line numbers, so that a row changes only with its fact.
 */
export function renderContractDiff(report: GateReport, stillAccepted: Accepted, questions: number): string {
  const open = questions - report.answers.length;
  return [
    '# The document beside the specification',
    `**${tallyLine(tally(report))}, [${open} open](../../OPEN_QUESTIONS.md)**`,
    isClean(report)
      ? 'The document says what the specification and the answers state, and nothing else.'
      : 'The document or an answer differs from what is stated. To see where, run `npx nx run webhook:openapi-diff`.',
    ...section(
      'Answered',
      ['Question', 'State', 'Answer', 'In the document'],
      report.answers.map((answer) => answerRow(answer, report)),
    ),
    ...section(
      'Accepted for a while',
      ['Question', 'Accepted too', 'Until', 'Decided by', 'Why'],
      Object.entries(stillAccepted).map(([id, { also, until, decidedBy, reason }]) => [
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

function answerRow({ state, question, action, entered }: ComparedAnswer, { findings }: GateReport): string[] {
  const { length } = findings.filter(
    (finding) => finding.state === 'answered' && finding.action?.question === question,
  );
  const answer = action?.answer ?? entered?.value;
  return [
    `[${escape(question)}](../../OPEN_QUESTIONS.md)`,
    state,
    answer === undefined ? 'nothing' : code(wordsOf(answer)),
    length === 0 ? 'nothing' : `${length} ${length === 1 ? 'fact' : 'facts'}`,
  ];
}

/** Words as they are, any other value as JSON. */
function wordsOf(node: SourceNode): string {
  const value = plain(node) as { inWords?: unknown } | null;
  return typeof value?.inWords === 'string' ? value.inWords : textOf(node);
}
