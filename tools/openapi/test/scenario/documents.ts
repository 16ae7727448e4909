import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Executable as Answers, plainAnswers, type QuestionId } from '@plant-store/contract';
import { parse, stringify } from 'yaml';
import { codeAnswersOf } from '../../src/gate/code-answers.js';
import { gate, type GateReport, isClean } from '../../src/gate/gate.js';
import { ROOT, writeDocument } from './built.js';

interface Overlay {
  readonly actions: readonly { readonly 'x-question': QuestionId }[];
}

const BASELINE = 'libs/contract/spec/plant-store.openapi.yaml';
const EXAMPLE = parse(
  readFileSync(join(ROOT, 'libs/example-answers/example-answers.overlay.yaml'), 'utf8'),
) as Overlay;

/** What the gate says of the document under some example answers. */
export interface ObservedDocument {
  /** The questions whose answers the document shows. */
  readonly shown: readonly string[];
  /** Whether it passes with these answers in the code and in the overlay, and with one side alone. */
  readonly gate: { readonly bothSides: boolean; readonly codeAlone: boolean; readonly overlayAlone: boolean };
}

/** Writes the document under some example answers, and holds it against the example overlay. */
export async function observeDocument(answers: Answers): Promise<ObservedDocument> {
  const text = await writeDocument(answers);
  const ids = Object.keys(answers) as QuestionId[];
  const report = gateWith(text, answers, ids);
  const shown = report.findings.flatMap(({ state, action }) =>
    state === 'answered' && action !== undefined ? [action.question] : [],
  );
  return {
    shown: [...new Set(shown)],
    gate: {
      bothSides: isClean(report),
      codeAlone: isClean(gateWith(text, answers, [])),
      overlayAlone: isClean(gateWith(text, {}, ids)),
    },
  };
}

/** The example overlay with the answers to some questions alone. */
export function exampleOverlay(answered: readonly QuestionId[]): string {
  const actions = EXAMPLE.actions.filter((action) => answered.includes(action['x-question']));
  return stringify({ ...EXAMPLE, actions });
}

/** @param code the answers of the code @param signed the questions that the overlay answers */
function gateWith(text: string, code: Answers, signed: readonly QuestionId[]): GateReport {
  const overlay = { text: exampleOverlay(signed), file: 'answers.overlay.yaml' };
  return gate({
    baseline: { text: readFileSync(join(ROOT, BASELINE), 'utf8'), file: BASELINE },
    document: { text, file: 'openapi.json' },
    overlay: signed.length === 0 ? undefined : overlay,
    answers: codeAnswersOf(plainAnswers(code)),
  });
}
