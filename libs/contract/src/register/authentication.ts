import type { OpenQuestion } from './open-question.js';

/** Questions about tokens, challenges and the connection that carries them (§5). */
export const authenticationQuestions = [
  {
    id: 'token-issuance',
    section: '§5',
    foundBy: 'specification',
    title: 'Token issuance',
    question: 'Who issues an access token, and how does a sender get one?',
    whileOpen: {
      receiver:
        'Accepts the tokens that its operator lists, several at a time; the list can change without a restart.',
      sender: '`accessToken` is required: a string, or a function that gives one for each delivery.',
      document: 'No flow, no address of an issuer.',
    },
    answer: 'The issuer and the way to ask it.',
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'token-format',
    section: '§5',
    foundBy: 'specification',
    title: 'Token format',
    question: 'Which format does an access token have?',
    whileOpen: {
      receiver:
        'An opaque string of the `b64token` syntax (RFC 6750 §2.1), compared whole and in constant time.',
      sender: 'An opaque string of the same syntax.',
      document: 'No `bearerFormat`.',
    },
    answer: 'The name of a format, and a pattern that a token of it matches.',
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'token-lifetime',
    section: '§5',
    foundBy: 'specification',
    title: 'Token lifetime',
    question: 'How long is an access token valid, and how is it replaced or revoked?',
    whileOpen: {
      receiver: 'A token is valid for as long as the operator lists it.',
      sender: 'Asks for the token anew for each delivery where it was given a function; caches none.',
      document: 'Nothing.',
    },
    answer: 'A duration, and how a token is renewed.',
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'notification-security',
    section: '§5',
    foundBy: 'us',
    title: 'Security of the notification',
    question:
      'The bearer requirement is the default for the whole interface: does it cover the outbound notification too, and is the token then one that the receiver gave to the store?',
    whileOpen: {
      receiver: 'Requires a bearer token of every delivery, as the default of the whole interface says.',
      sender: 'Sends the token that the caller gives, always.',
      document: 'The root requirement, not overridden for the webhook.',
    },
    answer: 'Yes or no, and whose token it is.',
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'authentication-realm',
    section: '§5',
    foundBy: 'us',
    title: 'Authentication realm',
    question:
      'Which realm does a challenge name? RFC 6750 §3 wants at least one parameter in a challenge, and no error code where a request had no credentials, which leaves the realm.',
    whileOpen: { receiver: 'A challenge names no realm; without credentials it is the bare scheme name.' },
    answer: 'The name of a realm.',
    shows: ['receiver'],
  },
  {
    id: 'transport-security',
    section: '§5',
    foundBy: 'us',
    title: 'Transport security',
    question: 'Is TLS required, and where does it end?',
    whileOpen: {
      receiver:
        'Speaks plain HTTP and listens on the loopback address unless told otherwise; TLS ends in front of it.',
      sender: 'Refuses plain HTTP except to a loopback address, unless told otherwise (RFC 6750 §5.3).',
      document: 'Nothing.',
    },
    answer: 'Required or not, with versions or client certificates if any.',
    shows: ['receiver', 'sender', 'document'],
  },
] as const satisfies readonly OpenQuestion[];
