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
  'media-type': {
    question: 'Which media type does the payload have, and may it be compressed?',
    answer: 'One media type.',
  },
  payload: {
    question: 'What is sent to the delivery path?',
    answer:
      'The shape of the payload: the plant alone, or an envelope with the plant in a field. A description of it, and names of the schemas, if the document is to have them.',
  },
} as const;

/** Id of a question whose answer the sender asks its caller for. */
export type PromptId = keyof typeof prompts;
