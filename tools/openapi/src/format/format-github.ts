import { isClean, tally, tallyLine } from '../gate/tally.js';
import { annotation } from './annotation.js';
import { explain, type Explanation } from './explain.js';
import { type AnswerExplanation, explainAnswers, positionOf } from './explain-answer.js';
import type { Presentation } from './presentation.js';

/**
 * For a job of GitHub Actions: an annotation for each finding, at the line of the answer or of the code that the fact
 * comes from, or else of the baseline or the document; and for each answer, at its line on the side that says it.
 * Nothing if there is nothing to say.
 */
export function formatGithub(presentation: Presentation): string {
  const { report } = presentation;
  if (report.findings.length + report.answers.length === 0) return '';
  const lines = [
    ...report.findings.map((finding) => annotationOf(explain(finding, presentation))),
    ...explainAnswers(presentation).map(annotationOfAnswer),
  ];
  const summary = `::${isClean(report) ? 'notice' : 'error'}::${tallyLine(tally(report))}`;
  return `${[...lines, summary].join('\n')}\n`;
}

function annotationOf(explanation: Explanation): string {
  const { finding, name, stated, section, shown, answer, advice } = explanation;
  const values = [
    `Specification or answer: ${stated?.value ?? 'nothing'}${section === undefined ? '' : ` (${section})`}`,
    `Document: ${shown?.value ?? 'nothing'}`,
    ...finding.alsoAt.map((pointer) => `Also at ${pointer}`),
    ...(answer === undefined ? [] : [`Answer: ${answer}`]),
  ];
  const level = finding.state === 'answered' ? 'notice' : 'error';
  const properties = { ...position(explanation), title: `${finding.state}: ${name}` };
  return annotation(level, properties, [...values, ...advice].join('\n'));
}

function position({ finding, producer, stated, shown }: Explanation): { file?: string; line?: number } {
  if (finding.action !== undefined) {
    const { file, start } = finding.action.place;
    return { file: file.path, line: file.lineAt(start) };
  }
  return producer ?? stated ?? shown ?? {};
}

function annotationOfAnswer({ held, title, overlay, code, provenance, advice }: AnswerExplanation): string {
  const level = held.state === 'answered' ? 'notice' : 'error';
  const at = held.action === undefined ? code : positionOf(held.action);
  const text = [
    `Overlay: ${overlay?.value ?? 'nothing'}`,
    ...(code === undefined ? [] : [`Code: ${code.value}`]),
    ...(provenance === undefined ? [] : [`Answer: ${provenance}`]),
    ...advice.flatMap(({ text, lines }) => (lines === undefined ? [text] : [text, lines])),
  ];
  const line = at?.line === undefined ? {} : { line: at.line };
  return annotation(level, { ...(at && { file: at.file, ...line }), title }, text.join('\n'));
}
