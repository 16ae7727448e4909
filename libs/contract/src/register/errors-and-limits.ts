import type { OpenQuestion } from './open-question.js';

/** Questions about failures, limits and versions (§7, §8, §9). */
export const errorAndLimitQuestions = [
  {
    id: 'error-codes',
    section: '§7',
    foundBy: 'specification',
    title: 'Error codes',
    question: 'Which error codes are there?',
    whileOpen: {
      receiver: 'Sends none, except `invalid_request` and `invalid_token` in a challenge (RFC 6750 §3.1).',
      sender: 'Its errors have codes for the caller. It sends and reads none.',
      document: 'Shows nothing.',
    },
    answer: 'A code for each failure.',
    answered: {
      receiver: 'Sends a code with a refusal.',
      sender: 'Names the failure in the error of a delivery, by the code.',
      document: 'The codes that an error payload may have.',
      rollout: 'any order',
      step: 'minor',
    },
    beside: ['error-payloads'],
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'status-codes',
    section: '§7',
    foundBy: 'specification',
    title: 'Status codes',
    question: 'Which status codes can the response to an unsuccessful delivery have?',
    whileOpen: {
      receiver:
        'The status that HTTP defines for each case (RFC 9110 §15, RFC 6585), or that RFC 6750 requires.',
      sender:
        'A status outside 2xx is not an acknowledgement. No status means more than that. For some, the command line also says what HTTP defines.',
      document: 'Shows no response.',
    },
    answer:
      'A status code and a description for each failure. If a standard settles the status: a description alone.',
    answered: {
      receiver: 'Refuses with these statuses.',
      sender: 'Names the failure in the error of a delivery, by the status.',
      document: 'A response for each status.',
      rollout: 'any order',
      step: 'minor',
    },
    beside: ['http-method'],
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'error-payloads',
    section: '§7',
    foundBy: 'specification',
    title: 'Error payloads',
    question: 'What does the body of a response to an unsuccessful delivery contain?',
    whileOpen: {
      receiver: 'The body is empty.',
      sender: 'The caller gets the body as bytes, up to a limit.',
      document: 'Shows no response.',
    },
    answer:
      'A JSON media type, what each field of the object contains, and which fields every payload has. A name of its schema, if the document is to have it.',
    answered: {
      receiver: 'Sends this content with each refusal.',
      sender: 'Gives the caller this content in the error of a delivery.',
      document: 'A schema in the components, and the content of the responses to failures.',
      rollout: 'any order',
      step: 'minor',
    },
    beside: ['status-codes', 'http-method'],
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'rate-limits',
    section: '§8',
    foundBy: 'specification',
    title: 'Rate limits',
    question: 'How many deliveries may a sender make in which span of time?',
    whileOpen: {
      receiver: 'Enforces no rate. A local limit bounds what is in flight; above it, 503.',
      sender: 'Keeps to no rate.',
      document: 'Shows nothing.',
    },
    answer: 'A number of deliveries, and a span of seconds.',
    answered: {
      receiver: 'Accepts so many deliveries with one access token. More get 429.',
      sender: 'Sends at most so many. Others wait.',
      rollout: 'senders first',
      step: 'major',
    },
    shows: ['receiver', 'sender'],
  },
  {
    id: 'size-limits',
    section: '§8',
    foundBy: 'specification',
    title: 'Size limits',
    question: 'How large may a delivery be?',
    whileOpen: {
      receiver: 'The operator sets a local limit; above it, 413.',
      sender:
        'Does not limit what it sends; its outbox has a local limit. A local limit bounds what it reads of a response.',
      document: 'Shows nothing.',
    },
    answer: 'A number of bytes.',
    answered: {
      receiver: "Accepts content up to this size. Larger content gets 413. `MAX_CONTENT_BYTES` can't be set.",
      sender: 'Refuses larger content before it is sent.',
      rollout: 'senders first',
      step: 'major',
      but: 'More than the 1,048,576 bytes that receivers accept by default: a transition.',
    },
    shows: ['receiver', 'sender'],
  },
  {
    id: 'time-outs',
    section: '§8',
    foundBy: 'specification',
    title: 'Time-outs',
    question: 'How long may a delivery take? How long does the store wait for a response?',
    whileOpen: {
      receiver: 'The operator sets local limits; beyond them, 408 or a closed connection.',
      sender: 'The caller sets local limits.',
      document: 'Shows nothing.',
    },
    answer: 'Two durations in milliseconds: one for a delivery, one for its response.',
    answered: {
      receiver:
        "Waits so long for a whole request. A slower one gets 408. `REQUEST_TIMEOUT_MS` can't be set.",
      sender: 'Waits so long for a whole response unless the caller passes `attemptTimeout`.',
      rollout: 'transition',
      step: 'major',
      but: 'At least the defaults of both sides, 30 s and 15 s: any order, and minor.',
    },
    shows: ['receiver', 'sender'],
  },
  {
    id: 'request-versioning',
    section: '§9',
    foundBy: 'specification',
    title: 'Version scheme of requests',
    question: 'How does a request say which version of the interface it follows?',
    whileOpen: {
      receiver: 'Reads no version.',
      sender: 'Sends no version.',
      document: 'Shows only the version of the description.',
    },
    answer: 'A header and its value, or a prefix of the path.',
    answered: {
      receiver:
        'With a header, requests without this version get 400. With a prefix, the path without it gets 404.',
      sender: 'Sends the header, or sends to the path with the prefix.',
      document: "The header. A prefix of the path doesn't show.",
      rollout: 'senders first',
      step: 'minor',
      but: 'A prefix of the path: a transition, and major.',
    },
    beside: ['http-method'],
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'deprecation-policy',
    section: '§9',
    foundBy: 'specification',
    title: 'Deprecation policy',
    question: 'How is a change announced, and how long does the old behaviour remain?',
    whileOpen: { document: 'Nothing is marked deprecated.' },
    answer: 'A policy in words.',
    shows: ['document'],
  },
] as const satisfies readonly OpenQuestion[];
