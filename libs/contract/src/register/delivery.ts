import type { OpenQuestion } from './open-question.js';

/** Questions about retries, signatures, and the identity and order of events (§6). */
export const deliveryQuestions = [
  {
    id: 'retry',
    section: '§6',
    foundBy: 'specification',
    title: 'Retry behaviour',
    question: 'Is a delivery sent again if it was not acknowledged? When, how often, until when?',
    whileOpen: {
      receiver:
        'Takes each request as a delivery of its own. What it refused with 503 may be stored: sent again, it is handled twice.',
      sender:
        'Makes one attempt, and more only if the caller passes a policy. Relays of an outbox require one.',
      document: 'Shows nothing.',
    },
    answer: 'A policy: the wait before each further attempt, and which results lead to one.',
    answered: {
      sender: 'Sends again by this policy unless the caller passes `retry`.',
      rollout: 'any order',
      step: 'minor',
    },
    shows: ['sender'],
  },
  {
    id: 'signing',
    section: '§6',
    foundBy: 'specification',
    title: 'Signing',
    question: 'Is a delivery signed? With which algorithm and key, over which parts, in which header?',
    whileOpen: {
      receiver: 'Checks no signature.',
      sender: 'Adds no signature.',
      document: 'Shows nothing.',
    },
    answer:
      'A keyed hash: the parts that are signed, the header of the signature, and how far the timestamp may be off.',
    answered: {
      receiver: 'Needs `SIGNING_KEYS`. A delivery without a valid signature gets 403.',
      sender: 'Needs `signingKey`, and signs each delivery.',
      document: 'The header fields of the signature.',
      rollout: 'senders first',
      step: 'major',
    },
    beside: ['http-method'],
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'event-identity',
    section: '§6',
    foundBy: 'us',
    title: 'Identity of an event',
    question: 'How does a receiver recognise that two deliveries carry the same event?',
    whileOpen: {
      receiver:
        'It does not. It keeps each delivery and hands it on separately. The id of a delivery does not identify an event.',
      sender: 'Sends no identifier.',
      document: 'Shows nothing.',
    },
    answer: 'Where the identifier of an event is: in a header, or in a field of JSON content.',
    answered: {
      receiver: 'Keeps one delivery of each event. A delivery without an identifier gets 400.',
      sender: 'If it is in a header, needs `eventId` for each delivery and sends it there.',
      document: 'The header, if it is in one.',
      rollout: 'senders first',
      step: 'major',
    },
    beside: ['http-method'],
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'event-order',
    section: '§6',
    foundBy: 'us',
    title: 'Order of events',
    question: 'Does the order of deliveries say anything about the order in which plants were added?',
    whileOpen: {
      receiver: 'Promises no order. It may hand on several deliveries at once.',
      sender: 'Sends each delivery when it is called, in parallel with others.',
      document: 'Shows nothing.',
    },
    answer: 'Whether there is an order, and how a delivery shows it.',
    shows: ['receiver', 'sender', 'document'],
  },
] as const satisfies readonly OpenQuestion[];
