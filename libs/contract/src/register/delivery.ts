import type { OpenQuestion } from './open-question.js';

/** Questions about what happens around a delivery: repetition, proof, order (§6). */
export const deliveryQuestions = [
  {
    id: 'retry',
    section: '§6',
    foundBy: 'specification',
    title: 'Retry behaviour',
    question: 'Is a delivery that was not acknowledged sent again: when, how often, until when?',
    whileOpen: {
      receiver: 'Keeps no count of attempts.',
      sender: 'One attempt; further ones only under a policy that the caller passes.',
      document: 'Nothing.',
    },
    answer: 'A policy: the wait before each further attempt, and what an attempt is repeated after.',
    shows: ['sender'],
  },
  {
    id: 'signing',
    section: '§6',
    foundBy: 'specification',
    title: 'Signing',
    question: 'Is a delivery signed: with which algorithm and key, over what, in which header?',
    whileOpen: {
      receiver: 'Checks no signature.',
      sender: 'Adds none.',
      document: 'Nothing.',
    },
    answer: 'A keyed hash: what is signed, in which header it stands, and how far its time may be off.',
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'event-identity',
    section: '§6',
    foundBy: 'us',
    title: 'Identity of an event',
    question: 'How is it recognised that two deliveries carry the same event?',
    whileOpen: {
      receiver:
        'Not at all: each delivery is kept and handed on as one of its own. Its number counts deliveries in one inbox and says nothing of the event.',
      sender: 'Sends no identifier.',
      document: 'Nothing.',
    },
    answer: 'Where the identifier of an event stands: a header, or a place in JSON content.',
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'event-order',
    section: '§6',
    foundBy: 'us',
    title: 'Order of events',
    question: 'Does the order of deliveries say anything about the order in which plants were added?',
    whileOpen: {
      receiver: 'Promises no order; it may hand on several deliveries at once.',
      sender: 'Sends each delivery when it is asked to, beside others.',
      document: 'Nothing.',
    },
    answer: 'Whether there is an order, and what carries it.',
    shows: ['receiver', 'sender', 'document'],
  },
] as const satisfies readonly OpenQuestion[];
