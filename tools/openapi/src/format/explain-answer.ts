import { factsOf } from '../answers/facts-of.js';
import type { HeldAnswer } from '../answers/held-answer.js';
import { actionToAdd, fieldToAdd, linesToAdd, overlayHead, schemaToAdd } from '../answers/lines-to-add.js';
import { valueText } from '../answers/value-text.js';
import type { GateReport } from '../gate/gate.js';
import type { Action } from '../overlay/action.js';
import { formatPlace } from '../read/place.js';
import type { SourceNode } from '../read/source-node.js';
import { provenanceOf } from './explain.js';
import type { Presentation } from './presentation.js';

/** What a side says, and where. */
export interface SideStatement {
  readonly value: string;
  readonly file: string;
  readonly line?: number;
}

/** What to do, as a sentence, and lines that can be pasted as they are. */
export interface Advice {
  readonly text: string;
  readonly lines?: string;
}

/** What both sides say of a question, in words. */
export interface AnswerExplanation {
  readonly held: HeldAnswer;
  /** `missing answer: retry, not in the overlay` */
  readonly title: string;
  readonly overlay?: SideStatement;
  readonly code?: SideStatement;
  /** Who answered, when and why. */
  readonly provenance?: string;
  /** JSON Pointers of the facts that it adds. */
  readonly facts: readonly string[];
  /** Empty for what is answered. */
  readonly advice: readonly Advice[];
}

/** Says of each question how its two sides stand to each other, and what to do about it. */
export function explainAnswers(presentation: Presentation): AnswerExplanation[] {
  const { report, hasOverlay } = presentation;
  const firstAlone = report.answers.find(({ action }) => action === undefined);
  return report.answers.map((held) => {
    const head = !hasOverlay && held === firstAlone;
    return explainAnswer(held, presentation, head);
  });
}

function explainAnswer(
  held: HeldAnswer,
  presentation: Presentation,
  startsOverlay: boolean,
): AnswerExplanation {
  const { action, entered } = held;
  return {
    held,
    title: titleOf(held),
    ...(action?.answer && {
      overlay: { value: valueText(action.answer), ...positionOf({ place: action.answer }) },
    }),
    ...(entered && { code: sideOf(entered) }),
    ...(action && { provenance: provenanceOf(action) }),
    facts: factsOf(held, presentation.report.findings),
    advice: adviceOn(held, presentation, startsOverlay),
  };
}

/** The file and the line of an action, or of a part of it. */
export function positionOf({ place }: Pick<Action, 'place'>): {
  readonly file: string;
  readonly line: number;
} {
  return { file: place.file.path, line: place.file.lineAt(place.start) };
}

/** `path:line`, or `path`. */
export function formatSide({ file, line }: Omit<SideStatement, 'value'>): string {
  return line === undefined ? file : `${file}:${line}`;
}

function sideOf({ value, file, line }: NonNullable<HeldAnswer['entered']>): SideStatement {
  return { value: valueText(value), file, ...(line !== undefined && { line }) };
}

function titleOf({ state, question, action }: HeldAnswer): string {
  if (state !== 'missing answer') return `${state}: ${question}`;
  return `${state}: ${question}, not in ${action === undefined ? 'the overlay' : 'the code'}`;
}

function adviceOn(held: HeldAnswer, presentation: Presentation, startsOverlay: boolean): Advice[] {
  const { state, action, entered } = held;
  switch (state) {
    case 'answered':
      return [];
    case 'missing answer':
      return action === undefined
        ? toOverlay(held, presentation, startsOverlay)
        : toCode(held, presentation.report);
    case 'contradicting answers':
      return [
        {
          text: `An answer is bound to its value. If it changed, it is a new one: change ${placeOf(action)}, with who answered, when and why.`,
        },
        ...toCode(held, presentation.report),
      ];
    case 'answer without value':
      return [
        {
          text: `Add the answer itself to the action at ${placeOf(action)}:`,
          lines: fieldToAdd(entered?.value),
        },
      ];
    case 'unknown question':
      return [
        {
          text: `There is no such question. Correct \`x-question\` at ${placeOf(action)}; the nearest is \`${held.nearest ?? 'none'}\`.`,
        },
      ];
  }
}

function toOverlay({ question, entered }: HeldAnswer, presentation: Presentation, starts: boolean): Advice[] {
  if (entered === undefined) return [];
  const overlay = presentation.overlay ?? 'an overlay, and name it with --overlay';
  const lines = actionToAdd(question, entered.value);
  return [
    {
      text: `Add this action to ${overlay}, with who answered, when and why. What it adds to the document goes under \`update\`, with the place as \`target\`, or into further actions of the same question.`,
      lines: starts ? `${overlayHead()}\n${lines}` : lines,
    },
    { text: `If nobody answered it, take it out of ${formatSide(entered)} instead.` },
  ];
}

function toCode({ question, action, entered }: HeldAnswer, { entered: code }: GateReport): Advice[] {
  if (action?.answer === undefined || code === undefined) return [];
  const verb = entered === undefined ? 'Add it to' : 'Or make it in';
  const where = entered === undefined ? code.source : formatSide(entered);
  return [
    code.schemas.has(question)
      ? schemaAdvice(question, action.answer, `${verb} ${where}`)
      : { text: `${verb} ${where}:`, lines: linesToAdd(question, action.answer) },
  ];
}

/** A schema is code: what can be said of it is its JSON Schema. */
function schemaAdvice(question: string, answer: SourceNode, where: string): Advice {
  return {
    text: `${where} with a Standard Schema, of Zod for instance, whose JSON Schema is ${valueText(answer)}:`,
    lines: schemaToAdd(question),
  };
}

function placeOf(action: Action | undefined): string {
  return action === undefined ? 'it' : formatPlace(action.place);
}
