import type { OpenQuestion } from './open-question.js';

/** Questions about the request that carries the notification, and about its answer (§4, §6). */
export const notificationQuestions = [
  {
    id: 'http-method',
    section: '§4',
    foundBy: 'specification',
    title: 'HTTP method',
    question: 'With which HTTP method is the notification delivered?',
    whileOpen: {
      receiver:
        'Accepts the methods that carry content and change state: POST, PUT and PATCH. Any other is answered 405 with `Allow` (RFC 9110 §15.5.6).',
      sender: '`method` is a required option without a default.',
      document: 'A Path Item with summary and description, without an operation.',
    },
    answer: 'One of POST, PUT, PATCH.',
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'webhook-key',
    section: '§4',
    foundBy: 'us',
    title: 'Key of the webhook in the document',
    question: 'Is the webhook listed in the OpenAPI document under its name or under its path?',
    whileOpen: {
      document:
        'Under its path, because only the key can show a path there; the name is the summary of the Path Item. OpenAPI asks only that the key be unique.',
    },
    answer: 'The key.',
    shows: ['document'],
  },
  {
    id: 'payload',
    section: '§4',
    foundBy: 'specification',
    title: 'Payload',
    question: 'What is sent to the delivery path?',
    whileOpen: {
      receiver:
        'Keeps the content byte for byte, unparsed and unchecked. A request without content carries no information about a plant and is answered 400.',
      sender:
        "`encode` is a required option: it turns the caller's plant into bytes. A `json` encoder is there to be passed.",
      document: 'No request body.',
    },
    answer: 'The shape of the payload: a plant alone, or a field of an envelope around it.',
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'media-type',
    section: '§4',
    foundBy: 'us',
    title: 'Media type',
    question: 'Which media type does the payload have, and may it be compressed?',
    whileOpen: {
      receiver: 'Any or none; `Content-Type` and `Content-Encoding` are kept with the bytes as they came.',
      sender: 'Whatever `encode` names; nothing where it names none. Nothing is compressed.',
      document: 'Nothing.',
    },
    answer: 'One media type.',
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'receiver-response',
    section: '§4',
    foundBy: 'specification',
    title: "Receiver's response",
    question: 'What does a receiver answer to a delivery that it has taken, and does the store read it?',
    whileOpen: {
      receiver:
        '204 without content, the success that says least (RFC 9110 §15.3.5), once the delivery is on disk.',
      sender:
        'Any 2xx is an acknowledgement (RFC 9110 §15.3), anything else is not; the answer is handed to the caller.',
      document: 'No response.',
    },
    answer: 'A status code with its description, and content if there is any.',
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'event-payload-fields',
    section: '§6',
    foundBy: 'specification',
    title: 'Event payload fields',
    question: 'Which fields does the event carry besides those of the plant?',
    whileOpen: {
      receiver: 'No field is read.',
      sender: 'No field is added.',
      document: 'No schema.',
    },
    answer: 'One Standard Schema of the fields beside those of the plant.',
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'triggering-operation',
    section: '§6',
    foundBy: 'specification',
    title: 'Triggering operation',
    question: 'Which operation of the store triggers the event?',
    whileOpen: { sender: 'Sends when it is called; it watches nothing.', document: 'Nothing.' },
    answer: 'The name of an operation.',
    shows: ['document'],
  },
] as const satisfies readonly OpenQuestion[];
