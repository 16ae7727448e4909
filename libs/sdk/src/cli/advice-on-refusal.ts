import type { Failure } from '@plant-store/contract';
import type { NotAcknowledgedError } from '../errors/not-acknowledged-error.js';

/** Where the secrets of a delivery were found, for messages. */
export interface SecretSources {
  readonly token: string;
  /** Where deliveries are signed. */
  readonly key?: string | undefined;
}

/** What to do about an answer that is no acknowledgement. */
export function adviceOnRefusal(error: NotAcknowledgedError, secrets: SecretSources): string {
  const { failure, status } = error;
  if (failure !== undefined) return adviceOn[failure](error, secrets);
  if (status >= 200 && status < 300) return 'Only the answered status is one (question receiver-response).';
  if (status >= 300 && status < 400) return 'A redirection is not followed; check --base-url.';
  const usual = failureOf(status, secrets);
  return usual === undefined ? 'The receiver refused it.' : adviceOn[usual](error, secrets);
}

/** The failure that HTTP itself has a status for (RFC 9110 §15); the receiver's own meaning is open (status-codes). */
function failureOf(status: number, { key }: SecretSources): Failure | undefined {
  if (status >= 500) return 'unavailable';
  if (status === 403 && key !== undefined) return 'signature-invalid';
  return usualFailures[status];
}

const usualFailures: Readonly<Record<number, Failure>> = {
  401: 'token-invalid',
  403: 'token-invalid',
  404: 'path-unknown',
  405: 'method-not-allowed',
  413: 'content-too-large',
  415: 'media-type-unsupported',
};

type Advise = (error: NotAcknowledgedError, secrets: SecretSources) => string;

const checkToken: Advise = (_, { token }) =>
  `The receiver does not accept the access token; check the one in ${token}.`;
const checkContent: Advise = () => 'The content is not what the receiver takes.';

const adviceOn: { readonly [Name in Failure]: Advise } = {
  'credentials-missing': checkToken,
  'credentials-malformed': checkToken,
  'token-invalid': checkToken,
  'path-unknown': () => 'Nothing takes deliveries there; check --base-url.',
  'method-not-allowed': ({ headers }) =>
    `The receiver does not take this method${allowed(headers['allow'])}; check --method.`,
  'content-missing': checkContent,
  'content-malformed': checkContent,
  'content-invalid': checkContent,
  'content-too-large': () => 'The content is larger than the receiver takes.',
  'media-type-unsupported': () => 'The receiver does not take this media type; check --content-type.',
  'version-unsupported': () => 'The receiver does not take this version of requests.',
  'event-id-missing': () => 'The receiver does not take this identifier of the event; check --event-id.',
  'signature-invalid': (_, { key }) =>
    `The receiver does not accept the signature; check ${key === undefined ? 'how it signs' : `the key in ${key}`}.`,
  'rate-exceeded': () => 'The receiver takes no more deliveries now.',
  unavailable: () => 'The receiver could not take it now.',
};

function allowed(allow: string | readonly string[] | undefined): string {
  return typeof allow === 'string' && /^[A-Z]+(?:, ?[A-Z]+)*$/.test(allow) ? `, but ${allow}` : '';
}
