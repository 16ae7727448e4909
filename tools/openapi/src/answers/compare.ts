import type { Action } from '../overlay/read-overlay.js';
import { scalarText, type SourceNode } from '../read/source-node.js';
import type { EnteredAnswer, EnteredAnswers } from './answers-file.js';

/** How the overlay and the code agree on a question. All but `answered` and `depends` fail the gate. */
export type AnswerState =
  /** Both have the same answer, or the code's answers were not given. */
  | 'answered'
  /** One side has an answer, the other none. */
  | 'missing answer'
  /** The two sides have different answers. */
  | 'contradicting answers'
  /** Actions of the overlay add facts for the question, and none has the answer itself. */
  | 'answer without value'
  /** Both have the same answer, and the actions of the overlay add something else than the code. */
  | 'wrong actions'
  /** The same, because of another answer that the two sides don't share. It is reported with that answer. */
  | 'depends'
  /** The register has no such question. */
  | 'unknown question';

/** Both sides of one question. */
export interface ComparedAnswer {
  readonly state: AnswerState;
  readonly question: string;
  /** The action that has the answer, or else the first of the question. */
  readonly action?: Action;
  /** Every action of the question. */
  readonly actions: readonly Action[];
  /** The code's answer. */
  readonly entered?: EnteredAnswer;
}

/**
 * Compares the answers of the overlay with those of the code, by value: `1` is not `"1"`, and the order of keys
 * doesn't matter. Without the code's answers, every answer of the overlay is `answered`.
 */
export function compareAnswers(actions: readonly Action[], code?: EnteredAnswers): ComparedAnswer[] {
  const questions = new Set(actions.map(({ question }) => question));
  const inOverlay = [...questions].flatMap((question): ComparedAnswer[] => {
    const own = actions.filter((action) => action.question === question);
    if (code === undefined || code.questions.includes(question)) return [compareOne(question, own, code)];
    return own.map((action) => ({ state: 'unknown question', question, action, actions: own }));
  });
  const onlyInCode = [...(code?.answers ?? [])]
    .filter(([question]) => !questions.has(question))
    .map(([question, entered]): ComparedAnswer => ({
      state: 'missing answer',
      question,
      actions: [],
      entered,
    }));
  return [...inOverlay, ...onlyInCode];
}

function compareOne(question: string, actions: readonly Action[], code?: EnteredAnswers): ComparedAnswer {
  const action = actions.find(({ answer }) => answer !== undefined) ?? actions[0];
  const entered = code?.answers.get(question);
  const state = code === undefined ? 'answered' : stateOf(action?.answer, entered?.value);
  return { state, question, actions, ...(action && { action }), ...(entered && { entered }) };
}

function stateOf(overlay: SourceNode | undefined, code: SourceNode | undefined): AnswerState {
  if (overlay === undefined) return 'answer without value';
  if (code === undefined) return 'missing answer';
  return valueText(overlay) === valueText(code) ? 'answered' : 'contradicting answers';
}

/** A value as JSON text on one line, its keys sorted: equal values have equal texts. */
export function valueText(node: SourceNode): string {
  if (node.kind === 'scalar') return scalarText(node);
  if (node.kind === 'list') return `[${node.items.map(valueText).join(',')}]`;
  const entries = [...node.entries].sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, { value }]) => `${JSON.stringify(key)}:${valueText(value)}`).join(',')}}`;
}
