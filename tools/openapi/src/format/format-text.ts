import { tally, tallyLine } from '../gate/tally.js';
import { explain, type Explanation, formatProducer, type Statement } from './explain.js';
import { type AnswerExplanation, explainAnswers, formatSide } from './explain-answer.js';
import type { Presentation } from './presentation.js';

/** For a terminal: each finding and each answer as a block, and the counts as the last line. */
export function formatText(presentation: Presentation): string {
  const { report } = presentation;
  const blocks = report.findings.map((finding) => block(explain(finding, presentation)));
  const answers = explainAnswers(presentation).map(answerBlock);
  return [...blocks, ...answers, `${tallyLine(tally(report))}\n`].join('\n');
}

function block(explanation: Explanation): string {
  const { finding, name, stated, section, shown, producer, answer, advice } = explanation;
  const rows: Row[] = [
    [finding.action === undefined ? 'specification' : 'stated', written(stated, section)],
    ['document', written(shown)],
    ['also at', finding.alsoAt.length > 0 ? finding.alsoAt.join('\n') : undefined],
    ['answer', answer],
    ['comes from', producer && formatProducer(producer)],
    ['to do', advice.length > 0 ? advice.join('\n') : undefined],
  ];
  return laidOut(`${finding.state}: ${name}   ${finding.pointer}`.trimEnd(), rows);
}

/** Lines to paste stand below, as far to the left as they will stand where they belong. */
function answerBlock({ title, overlay, code, provenance, facts, advice }: AnswerExplanation): string {
  const pasted = advice.flatMap(({ lines }) => (lines === undefined ? [] : [`\n${lines}`]));
  const rows: Row[] = [
    ['overlay', overlay && `${overlay.value}   ${formatSide(overlay)}`],
    ['code', code && `${code.value}   ${formatSide(code)}`],
    ['answer', provenance],
    ['adds', advice.length > 0 ? undefined : countOf(facts)],
    ['to do', advice.length > 0 ? advice.map(({ text }) => text).join('\n') : undefined],
  ];
  return `${[laidOut(title, rows).trimEnd(), ...pasted].join('\n')}\n`;
}

function countOf({ length }: readonly string[]): string {
  return length === 0
    ? 'nothing to the document'
    : `${length} ${length === 1 ? 'fact' : 'facts'} to the document`;
}

type Row = readonly [label: string, text: string | undefined];

function laidOut(title: string, rows: readonly Row[]): string {
  const lines = rows.flatMap(([label, text]) => (text === undefined ? [] : row(label, text)));
  return [title, ...lines, ''].join('\n');
}

function row(label: string, text: string): string[] {
  return text.split('\n').map((line, index) => `  ${(index === 0 ? label : '').padEnd(15)}${line}`);
}

function written(statement: Statement | undefined, section?: string): string | undefined {
  if (statement === undefined) return undefined;
  const { value, file, line } = statement;
  return `${value}   ${file}:${line}${section === undefined ? '' : ` (${section})`}`;
}
