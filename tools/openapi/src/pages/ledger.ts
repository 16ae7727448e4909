import type { OpenQuestion } from '@plant-store/contract';
import { type ComparedAnswer, valueText } from '../answers/compare.js';
import { type Fact, statedIn } from '../facts/fact.js';
import { countText, morePlaces } from '../facts/places.js';
import { code, escape, generatedBy, table } from '../format/markdown.js';
import type { Finding } from '../gate/finding.js';
import type { GateReport } from '../gate/gate.js';
import { tally, tallyLine } from '../gate/tally.js';
import { plainName } from '../read/json-pointer.js';
import { type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { factsAddedBy } from '../report/entries.js';

/** What the ledger is written from. */
export interface LedgerInput {
  readonly report: GateReport;
  readonly questions: readonly OpenQuestion[];
  /** The command that writes the page. */
  readonly generator: string;
  /** The files that the page is written from. */
  readonly sources: readonly string[];
}

const HEAD = ['State', 'Fact', 'Pointer', 'Specification or answer', 'Document', 'Section or question'];
const ACCEPTS_HEAD = ['Question', 'Accepted too', 'Until', 'Decided by', 'Why'];
const ANSWERS_HEAD = ['State', 'Question', 'Answer', 'Answered by', 'On', 'Why', 'Facts of the document'];

/**
 * The difference between specification and document as Markdown, one row a line: what differs or was answered, each
 * answer with the facts that it adds, what is specified (folded), and the open questions.
 *
 * It has no line numbers, and its tables aren't aligned, so that a row changes only with its fact.
 */
export function renderLedger({ report, questions, generator, sources }: LedgerInput): string {
  const answered = new Set(report.answers.map(({ question }) => question));
  const open = questions.filter(({ id }) => !answered.has(id));
  const differences = report.findings.flatMap(findingRows);
  const answers = report.answers.map((compared) => answerRow(compared, report, questions));
  const accepted = Array.from(report.entered?.accepts ?? [], acceptedRow);
  const parts = [
    generatedBy(generator, [...sources, 'libs/contract/src/register']),
    '# The document beside the specification',
    'Each row is one fact: what the specification or an answer states, and what the published document says.',
    `**${tallyLine(tally(report))}, ${open.length} open**`,
    '## Not simply specified',
    differences.length === 0
      ? 'Nothing: the document says what the specification states, and nothing else.'
      : table(HEAD, differences),
    ...(answers.length === 0 ? [] : ['## Answered', table(ANSWERS_HEAD, answers)]),
    ...(accepted.length === 0
      ? []
      : [
          '## Accepted for a while',
          'The document does not show these. Receivers or senders accept them beside the answer until that day.',
          table(ACCEPTS_HEAD, accepted),
        ]),
    '## Specified',
    specified(report),
    '## Open',
    'The specification does not state these, and nobody has answered them. The column Document says what the document has meanwhile. OPEN_QUESTIONS.md has the details.',
    open.length === 0 ? 'None.' : table(HEAD, open.map(openRow)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A fact that several places share has a row for each, and one for those that are too many. */
function findingRows(finding: Finding): string[][] {
  const { state, reason, pointer, alsoAt, count, baseline, document, action } = finding;
  const rowOf = (name: string, at: string): string[] => [
    reason === undefined ? state : `${state}: ${reason}`,
    escape(name),
    at,
    valueOf(baseline),
    valueOf(document),
    escape(action?.question ?? (baseline && statedIn(baseline)) ?? ''),
  ];
  const places = [pointer, ...alsoAt];
  return [
    ...places.map((at) => rowOf(plainName(at), code(at))),
    ...morePlaces(places.length, count).map((more) => rowOf(more, '')),
  ];
}

function answerRow(
  compared: ComparedAnswer,
  report: GateReport,
  questions: readonly OpenQuestion[],
): string[] {
  const { state, question, action, entered } = compared;
  const entry = questions.find(({ id }) => id === question);
  const name = entry === undefined ? question : `${entry.title} (${entry.section}, ${question})`;
  const { places, count } = factsAddedBy(compared, report.findings);
  const facts = [...places.map(code), ...morePlaces(places.length, count)];
  const isOne = state === 'answered' || report.entered === undefined;
  return [
    state,
    escape(name),
    isOne
      ? answerText(action?.answer)
      : `overlay: ${answerText(action?.answer)}<br>code: ${answerText(entered?.value)}`,
    escape(action?.answeredBy ?? ''),
    escape(action?.date ?? ''),
    escape(action?.reason ?? ''),
    facts.join('<br>') || 'none',
  ];
}

function acceptedRow([question, accepted]: [string, SourceNode]): string[] {
  const also = valueAt(accepted, 'also');
  const text = (key: string): string => escape(stringAt(accepted, key) ?? '');
  return [escape(question), answerText(also), text('until'), text('decidedBy'), text('reason')];
}

function specified({ specified: count, stated }: GateReport): string {
  const rows = Array.from(stated(), specifiedRow);
  return `<details>
<summary>${countText(count)} specified</summary>

${[table(HEAD, rows), ...morePlaces(rows.length, count)].join('\n\n')}

</details>`;
}

function specifiedRow(fact: Fact): string[] {
  const { pointer } = fact;
  const name = escape(plainName(pointer));
  return ['specified', name, code(pointer), valueOf(fact), valueOf(fact), escape(statedIn(fact) ?? '')];
}

function openRow({ id, section, foundBy, title, whileOpen }: OpenQuestion): string[] {
  const stated = foundBy === 'specification' ? 'not shown' : 'nothing';
  return ['open', escape(title), '', stated, whileOpen.document ?? 'Nothing.', `${section}, ${id}`];
}

function valueOf(fact: Fact | undefined): string {
  return fact === undefined ? 'nothing' : code(fact.text);
}

function answerText(value: SourceNode | undefined): string {
  return value === undefined ? 'nothing' : code(valueText(value));
}
