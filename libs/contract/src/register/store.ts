import type { OpenQuestion } from './open-question.js';

/** Questions about the store itself and how it is reached (§1, §2, §3, §4). */
export const storeQuestions = [
  {
    id: 'store-operations',
    section: '§1',
    foundBy: 'specification',
    title: 'Store operations',
    question: 'Which operations does the store offer besides the New Plant notification?',
    whileOpen: { document: 'The map of paths is empty, as §4 states.' },
    answer: 'A list of operations, or the statement that there are none.',
    shows: ['document'],
  },
  {
    id: 'base-address',
    section: '§1',
    foundBy: 'us',
    title: 'Value of {base_url}',
    question: 'What is the value of {base_url}, or which values may it take?',
    whileOpen: {
      sender: '`baseUrl` is a required option without a default.',
      document:
        'One server, whose URL is the variable. The variable is not declared, because OpenAPI would require a default value.',
    },
    answer: 'An absolute https URL.',
    answered: {
      sender: 'Sends to this address unless the caller passes `baseUrl`.',
      document: "The server's variable has this default.",
      rollout: 'any order',
      step: 'minor',
    },
    shows: ['sender', 'types', 'document'],
  },
  {
    id: 'delivery-target',
    section: '§4',
    foundBy: 'us',
    title: 'What the delivery path is resolved against',
    question:
      'Is the delivery path relative to {base_url}, or to an address of each receiver? How does the store learn that?',
    whileOpen: {
      receiver: 'Serves the path at the root of the address that it listens on.',
      sender: 'Appends the path to the `baseUrl` of the caller, whosever address that is.',
      document: 'The path is the key of the webhook. It is not bound to a server.',
    },
    answer: 'How the target is built from an address, and where the address comes from.',
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'plant-fields',
    section: '§2',
    foundBy: 'specification',
    title: 'Plant fields',
    question: 'Which fields does a plant record have?',
    whileOpen: {
      receiver: 'Reads no field.',
      sender: "A plant has the caller's type.",
      document: 'Shows no schema.',
    },
    answer: 'A schema of a plant: a Standard Schema, such as one of Zod, or a JSON Schema.',
    answered: {
      receiver: "Refuses a plant that doesn't fit, with 422.",
      sender: 'The compiler asks for a plant that fits. Nothing is validated at run time.',
      document: 'A schema of the plant in the components.',
      rollout: 'senders first',
      step: 'major',
    },
    beside: ['payload', 'media-type'],
    shows: ['receiver', 'types', 'document'],
  },
  {
    id: 'states-and-transitions',
    section: '§3',
    foundBy: 'specification',
    title: 'States and transitions',
    question: 'Which states does a plant or the store have, and which transitions between them?',
    whileOpen: { document: 'Shows nothing.' },
    answer: 'A list of states and the transitions between them.',
    shows: ['document'],
  },
] as const satisfies readonly OpenQuestion[];
