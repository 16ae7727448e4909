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
