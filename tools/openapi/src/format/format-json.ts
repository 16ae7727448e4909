import { tally } from '../gate/tally.js';
import type { Action } from '../overlay/action.js';
import { explain } from './explain.js';
import { explainAnswers, positionOf } from './explain-answer.js';
import type { Presentation } from './presentation.js';

/** For programs: `{ counts, findings, answers }`; values are JSON text, so that no digit of a number is lost. */
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
      answer: action && { question: action.question, ...provenance(action) },
      advice,
    };
  });
  const answers = explainAnswers(presentation).map(({ held, overlay, code, facts, advice }) => ({
    state: held.state,
    question: held.question,
    overlay,
    code,
    provenance: held.action && provenance(held.action),
    nearest: held.nearest,
    facts,
    advice,
  }));
  return `${JSON.stringify({ counts: tally(presentation.report), findings, answers }, null, 2)}\n`;
}

function provenance(action: Action) {
  const { answeredBy, date, reason } = action;
  return { answeredBy, date, reason, ...positionOf(action) };
}
