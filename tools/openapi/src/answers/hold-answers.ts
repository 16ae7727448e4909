import type { Action } from '../overlay/action.js';
import type { EnteredAnswer, EnteredAnswers } from './entered-answers.js';
import type { HeldAnswer } from './held-answer.js';
import { nearest } from './nearest.js';
import { valueText } from './value-text.js';

/**
 * Holds the answers of the overlay against those of the code's side, by value: a number is not its text, and the
 * order of keys says nothing. Without the code's side, what the overlay says is taken for answered.
 */
export function holdAnswers(actions: readonly Action[], entered?: EnteredAnswers): HeldAnswer[] {
  const questions = new Set(actions.map(({ question }) => question));
  const held = [...questions].flatMap((question) => {
    const own = actions.filter((action) => action.question === question);
    if (entered !== undefined && !entered.questions.includes(question)) return unknown(own, entered);
    return [hold(question, own, entered)];
  });
  return [...held, ...enteredAlone(questions, entered)];
}

function hold(question: string, actions: readonly Action[], entered?: EnteredAnswers): HeldAnswer {
  const action = actions.find(({ answer }) => answer !== undefined) ?? actions[0];
  const other = entered?.answers.get(question);
  const state = entered === undefined ? 'answered' : stateOf(action, other);
  return { state, question, actions, ...(action && { action }), ...(other && { entered: other }) };
}

function stateOf(action: Action | undefined, entered: EnteredAnswer | undefined): HeldAnswer['state'] {
  if (action?.answer === undefined) return 'answer without value';
  if (entered === undefined) return 'missing answer';
  return valueText(action.answer) === valueText(entered.value) ? 'answered' : 'contradicting answers';
}

function unknown(actions: readonly Action[], { questions }: EnteredAnswers): HeldAnswer[] {
  return actions.map((action): HeldAnswer => {
    const known = nearest(action.question, questions);
    const { question } = action;
    return {
      state: 'unknown question',
      question,
      action,
      actions,
      ...(known !== undefined && { nearest: known }),
    };
  });
}

function enteredAlone(questions: ReadonlySet<string>, entered?: EnteredAnswers): HeldAnswer[] {
  return [...(entered?.answers ?? [])]
    .filter(([question]) => !questions.has(question))
    .map(([question, answer]) => ({ state: 'missing answer', question, actions: [], entered: answer }));
}
