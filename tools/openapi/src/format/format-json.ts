import { tally } from '../gate/tally.js';
import { explain } from './explain.js';
import type { Presentation } from './presentation.js';

/** For programs: `{ counts, findings }`; values are JSON text, so that no digit of a number is lost. */
export function formatJson(presentation: Presentation): string {
  const findings = presentation.report.findings.map((finding) => {
    const { name, stated, section, shown, producer, advice } = explain(finding, presentation);
    const { state, pointer, alsoAt, reason, action } = finding;
    return {
      state,
      reason,
      pointer,
      name,
      alsoAt,
      specification: stated && { ...stated, section },
      document: shown,
      producer,
      answer: action && {
        question: action.question,
        answeredBy: action.answeredBy,
        date: action.date,
        reason: action.reason,
        file: action.place.file.path,
        line: action.place.file.lineAt(action.place.start),
      },
      advice,
    };
  });
  return `${JSON.stringify({ counts: tally(presentation.report), findings }, null, 2)}\n`;
}
