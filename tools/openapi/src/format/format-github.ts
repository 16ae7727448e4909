import { isClean, tally, tallyLine } from '../gate/tally.js';
import { annotation } from './annotation.js';
import { explain, type Explanation } from './explain.js';
import type { Presentation } from './presentation.js';

/**
 * For a job of GitHub Actions: an annotation for each finding, at the line of the answer or of the code that
 * the fact comes from, or else of the baseline or the document. Nothing if there is nothing to say.
 */
export function formatGithub(presentation: Presentation): string {
  const { report } = presentation;
  if (report.findings.length === 0) return '';
  const lines = report.findings.map((finding) => annotationOf(explain(finding, presentation)));
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
