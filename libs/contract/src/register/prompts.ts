/**
 * The texts of the questions whose answer the sender asks its caller for. They are apart from the register, so that a
 * bundle of the sender has these and not all texts of the register.
 */
export const prompts = {
  'base-address': {
    question: 'What is the value of {base_url}, or which values may it take?',
    answer: 'An absolute https URL.',
  },
  'http-method': {
    question: 'Which HTTP method delivers the notification?',
    answer: 'One of POST, PUT, PATCH.',
  },
} as const;

/** Id of a question whose answer the sender asks its caller for. */
export type PromptId = keyof typeof prompts;
