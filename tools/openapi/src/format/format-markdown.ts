import { tally, tallyLine } from '../gate/tally.js';
import { explain, type Explanation, formatProducer, type Statement } from './explain.js';
import { type AnswerExplanation, explainAnswers, formatSide, type SideStatement } from './explain-answer.js';
import { code, escape } from './markdown.js';
import type { Presentation } from './presentation.js';

const HEAD = [
  '| State | Fact | Specification or answer | Document | Comes from | What to do |',
  '| --- | --- | --- | --- | --- | --- |',
];

const ANSWERS_HEAD = [
  '| State | Question | Overlay | Code | What to do |',
  '| --- | --- | --- | --- | --- |',
];

/** For a pull request: the counts, a table of the findings and one of the answers if there are any. */
export function formatMarkdown(presentation: Presentation): string {
  const { report } = presentation;
  const answers = explainAnswers(presentation);
  const rows = report.findings.map((finding) => row(explain(finding, presentation)));
  const parts = [
    `**${tallyLine(tally(report))}**`,
    ...(rows.length === 0 ? [] : [[...HEAD, ...rows].join('\n')]),
    ...(answers.length === 0 ? [] : [[...ANSWERS_HEAD, ...answers.map(answerRow)].join('\n')]),
    ...answers.flatMap(linesToPaste),
  ];
  return `${parts.join('\n\n')}\n`;
}

function answerRow({ held, overlay, code: entered, provenance, advice }: AnswerExplanation): string {
  const cells = [
    held.state,
    code(held.question),
    [side(overlay), ...(provenance === undefined ? [] : [escape(provenance)])].join('<br>'),
    side(entered),
    advice.map(({ text }) => escape(text)).join('<br>'),
  ];
  return `| ${cells.join(' | ')} |`;
}

function side(statement: SideStatement | undefined): string {
  return statement === undefined ? 'nothing' : `${code(statement.value)}<br>${code(formatSide(statement))}`;
}

/** Lines to paste, each under what to do with them: a table has no room for them. */
function linesToPaste({ held, advice }: AnswerExplanation): string[] {
  return advice.flatMap(({ text, lines }) =>
    lines === undefined ? [] : [`${code(held.question)}: ${escape(text)}\n\n${block(lines)}`],
  );
}

/** A block of code whose fence is longer than any in it. */
function block(lines: string): string {
  const longest = Math.max(2, ...Array.from(lines.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${lines}\n${fence}`;
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
