import { tally, tallyLine } from '../gate/tally.js';
import { explain, type Explanation, formatProducer, type Statement } from './explain.js';
import { code, escape } from './markdown.js';
import type { Presentation } from './presentation.js';

const HEAD = [
  '| State | Fact | Specification or answer | Document | Comes from | What to do |',
  '| --- | --- | --- | --- | --- | --- |',
];

/** For a pull request: the counts, and a table of the findings if there are any. */
export function formatMarkdown(presentation: Presentation): string {
  const { report } = presentation;
  const counts = `**${tallyLine(tally(report))}**\n`;
  if (report.findings.length === 0) return counts;
  const rows = report.findings.map((finding) => row(explain(finding, presentation)));
  return `${counts}\n${[...HEAD, ...rows].join('\n')}\n`;
}

function row({ finding, name, stated, section, shown, producer, answer, advice }: Explanation): string {
  const users = finding.alsoAt.map((pointer) => `also at ${code(pointer)}`);
  const provenance = [section, answer].filter((text) => text !== undefined).map(escape);
  const cells = [
    finding.state,
    [escape(name), code(finding.pointer), ...users].join('<br>'),
    [written(stated), ...provenance].join('<br>'),
    written(shown),
    producer === undefined ? '' : code(formatProducer(producer)),
    advice.map(escape).join('<br>'),
  ];
  return `| ${cells.join(' | ')} |`;
}

function written(statement: Statement | undefined): string {
  if (statement === undefined) return 'nothing';
  return `${code(statement.value)}<br>${code(`${statement.file}:${statement.line}`)}`;
}
