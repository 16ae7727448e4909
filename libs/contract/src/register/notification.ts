import type { OpenQuestion } from './open-question.js';

/** Questions about the request that carries the notification, and about the response to it (§4, §6). */
export const notificationQuestions = [
  {
    id: 'http-method',
    section: '§4',
    foundBy: 'specification',
    title: 'HTTP method',
    question: 'Which HTTP method delivers the notification?',
    whileOpen: {
      receiver:
        'Accepts the methods that carry content and change state: POST, PUT and PATCH. Any other gets 405 with `Allow` (RFC 9110 §15.5.6), except CONNECT (501, §15.6.2) and what Node.js does not read as a method (400).',
      sender: '`method` is a required option without a default.',
      document: 'A Path Item with summary and description, but without an operation.',
    },
    answer: 'One of POST, PUT, PATCH.',
    answered: {
      receiver: 'Accepts this method alone. Any other gets 405.',
      sender: 'Sends this method unless the caller passes another `method`.',
      document: 'An operation of this method.',
      rollout: 'senders first',
      step: 'minor',
    },
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'http-version',
    section: '§4',
    foundBy: 'us',
    title: 'HTTP version',
    question: 'Which versions of HTTP deliver the notification?',
    whileOpen: {
      receiver: 'Speaks HTTP/1.1, and takes HTTP/1.0. Other versions are refused, with 505 or 400.',
      sender: 'Speaks HTTP/1.1, unless the caller passes a dispatcher that speaks another version.',
      document: 'Shows nothing.',
    },
    answer: 'One version or several.',
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'webhook-key',
    section: '§4',
    foundBy: 'us',
    title: 'Key of the webhook in the document',
    question: 'Is the webhook listed in the OpenAPI document under its name or under its path?',
    whileOpen: {
      document:
        'Under its path, because only the key can show it. The name is the summary of the Path Item. OpenAPI only requires a unique key.',
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
        'Keeps the content byte for byte, without parsing or validating it. A request without content carries no information about a plant, so it gets 400.',
      sender:
        "`encode` is a required option. It turns the caller's plant into bytes. The encoder `json` can be passed. Empty content is refused.",
      document: 'Shows no request body.',
    },
    answer:
      "The shape of the payload: the plant alone (`'plant'`), or an envelope with the plant in a field (`{ plantField }`). A description of it, and names of the schemas, if the document is to have them.",
    answered: {
      receiver:
        "With a media type of JSON, reads the content. What isn't JSON gets 400, encoded content 415, another shape 422.",
      sender: 'With a media type of JSON, encodes the plant unless the caller passes `encode`.',
      document: 'The request body.',
      rollout: 'senders first',
      step: 'minor',
      but: 'Beside an answer to `plant-fields` or `event-payload-fields`: major.',
    },
    beside: ['media-type', 'http-method'],
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'media-type',
    section: '§4',
    foundBy: 'us',
    title: 'Media type',
    question: 'Which media type does the payload have, and may it be compressed?',
    whileOpen: {
      receiver:
        'Accepts any, or none. Keeps `Content-Type` and `Content-Encoding` as they were sent, with the bytes.',
      sender: 'Sends the media type that `encode` returns, if any. Compresses nothing.',
      document: 'Shows nothing.',
    },
    answer: 'One media type.',
    answered: {
      receiver: 'Accepts this media type alone. Any other gets 415.',
      sender: 'Sends this media type, and refuses content to which `encode` gives another.',
      document: 'The media type of the request body.',
      rollout: 'senders first',
      step: 'major',
    },
    beside: ['http-method'],
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'receiver-response',
    section: '§4',
    foundBy: 'specification',
    title: "Receiver's response",
    question:
      'Which response does a receiver give to a delivery that it has accepted? Does the store read it?',
    whileOpen: {
      receiver:
        '204 without content, once the delivery is on disk. It is the success that says least (RFC 9110 §15.3.5).',
      sender:
        'Any 2xx is an acknowledgement (RFC 9110 §15.3), any other status is not. The caller gets the response.',
      document: 'Shows no response.',
    },
    answer: 'A status code and its description, with content if there is any.',
    answered: {
      receiver: 'Responds so once the delivery is on disk.',
      sender: 'Takes this status alone as an acknowledgement.',
      document: 'A response.',
      rollout: 'receivers first',
      step: 'major',
      but: 'The status 204: any order.',
    },
    beside: ['http-method'],
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'event-payload-fields',
    section: '§6',
    foundBy: 'specification',
    title: 'Event payload fields',
    question: 'Which fields does the event carry besides those of the plant?',
    whileOpen: {
      receiver: 'Reads no field.',
      sender: 'Adds no field.',
      document: 'Shows no schema.',
    },
    answer:
      'A schema of the fields beside those of the plant: a Standard Schema, such as one of Zod, or a JSON Schema.',
    answered: {
      receiver: "Refuses an event that doesn't fit, with 422.",
      sender: 'Needs `event` for each delivery, and sends its fields beside the plant.',
      document: 'A schema of the event in the components.',
      rollout: 'senders first',
      step: 'major',
    },
    beside: ['payload', 'media-type'],
    shows: ['receiver', 'sender', 'types', 'document'],
  },
  {
    id: 'triggering-operation',
    section: '§6',
    foundBy: 'specification',
    title: 'Triggering operation',
    question: 'Which operation of the store triggers the event?',
    whileOpen: { sender: 'Sends when it is called, and never by itself.', document: 'Shows nothing.' },
    answer: 'The name of an operation.',
    shows: ['document'],
  },
] as const satisfies readonly OpenQuestion[];
