import { authenticationQuestions } from './authentication.js';
import { deliveryQuestions } from './delivery.js';
import { errorAndLimitQuestions } from './errors-and-limits.js';
import { notificationQuestions } from './notification.js';
import { storeQuestions } from './store.js';

/** Every open question, by theme. OPEN_QUESTIONS.md is generated from it. */
export const openQuestions = [
  ...storeQuestions,
  ...notificationQuestions,
  ...authenticationQuestions,
  ...deliveryQuestions,
  ...errorAndLimitQuestions,
] as const;

/** Id of an entry of the register. */
export type QuestionId = (typeof openQuestions)[number]['id'];

/** Id of an executable question: one whose answer the software carries out. */
export type ExecutableId = Extract<(typeof openQuestions)[number], { readonly answered: object }>['id'];

const executable = new Set<string>(
  openQuestions.filter((question) => 'answered' in question).map(({ id }) => id),
);

/** Whether software can carry out an answer to a question. If not, its answer is always in words. */
export function isExecutable(id: string): id is ExecutableId {
  return executable.has(id);
}
