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
      receiver: 'Accepts the tokens that its operator lists, also without a restart.',
      sender:
        '`accessToken` is a required option: a string, or a function that returns one for each attempt.',
      document: 'No flow, and no address of an issuer.',
    },
    answer: 'The issuer, and how to get a token from it.',
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
        'A token is an opaque string in the `b64token` syntax (RFC 6750 §2.1). It is compared whole and in constant time.',
      sender: 'A token is an opaque string in the same syntax.',
      document: 'Shows no `bearerFormat`.',
    },
    answer: 'The name of the format, and a pattern that every token matches.',
    answered: {
      receiver: 'Starts only with access tokens that match.',
      sender: "Refuses an access token that doesn't match.",
      document: 'The name of the format, as `bearerFormat`.',
      rollout: 'senders first',
      step: 'major',
    },
    shows: ['receiver', 'sender', 'document'],
  },
  {
    id: 'token-lifetime',
    section: '§5',
    foundBy: 'specification',
    title: 'Token lifetime',
    question: 'How long is an access token valid, and how is it replaced or revoked?',
    whileOpen: {
      receiver: 'A token is valid while the operator lists it.',
      sender: 'Calls the function, if it was given one, for each attempt. Caches no token.',
      document: 'Shows nothing.',
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
      'The bearer requirement is the default for the whole interface. Does it also cover the outbound notification? If so, is the token one that the receiver gave to the store?',
    whileOpen: {
      receiver: 'Requires a bearer token for every delivery, as the default says.',
      sender: 'Always sends the token of the caller.',
      document: 'The default requirement at the root. The webhook does not override it.',
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
      'Which realm does a challenge name? RFC 6750 §3 requires at least one parameter in a challenge, and §3.1 advises against an error code if the request had no credentials. That leaves the realm.',
    whileOpen: {
      receiver:
        'A challenge names no realm. For a request without credentials it is only the name of the scheme.',
    },
    answer: 'The name of a realm.',
    answered: {
      receiver: 'Names the realm in each challenge.',
      rollout: 'any order',
      step: 'patch',
    },
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
        'Speaks plain HTTP, and listens on the loopback address unless configured otherwise. TLS ends in front of it.',
      sender: 'Refuses plain HTTP, except to a loopback address or if the caller allows it (RFC 6750 §5.3).',
      document: 'Shows nothing.',
    },
    answer: 'Required or not, with TLS versions and client certificates if they matter.',
    shows: ['receiver', 'sender', 'document'],
  },
] as const satisfies readonly OpenQuestion[];
