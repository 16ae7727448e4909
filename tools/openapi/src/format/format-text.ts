import { tally, tallyLine } from '../gate/tally.js';
import { explain, type Explanation, formatProducer, type Statement } from './explain.js';
import type { Presentation } from './presentation.js';

/** For a terminal: each finding as a block, and the counts as the last line. */
export function formatText(presentation: Presentation): string {
  const { report } = presentation;
  const blocks = report.findings.map((finding) => block(explain(finding, presentation)));
  return [...blocks, `${tallyLine(tally(report))}\n`].join('\n');
}

function block(explanation: Explanation): string {
  const { finding, name, stated, section, shown, producer, answer, advice } = explanation;
  const rows: [string, string | undefined][] = [
    [finding.action === undefined ? 'specification' : 'stated', written(stated, section)],
    ['document', written(shown)],
    ['also at', finding.alsoAt.length > 0 ? finding.alsoAt.join('\n') : undefined],
    ['answer', answer],
    ['comes from', producer && formatProducer(producer)],
    ['to do', advice.length > 0 ? advice.join('\n') : undefined],
  ];
  const lines = rows.flatMap(([label, text]) => (text === undefined ? [] : row(label, text)));
  return [`${finding.state}: ${name}   ${finding.pointer}`.trimEnd(), ...lines, ''].join('\n');
}

function row(label: string, text: string): string[] {
  return text.split('\n').map((line, index) => `  ${(index === 0 ? label : '').padEnd(15)}${line}`);
}

function written(statement: Statement | undefined, section?: string): string | undefined {
  if (statement === undefined) return undefined;
  const { value, file, line } = statement;
  return `${value}   ${file}:${line}${section === undefined ? '' : ` (${section})`}`;
}
