import { invalidOption } from '../errors/invalid-options-error.js';
import { notSent, PlantStoreError } from '../errors/plant-store-error.js';
import { isPlantStoreError } from '../errors/sender-error.js';
import { systemReason } from '../errors/system-reason.js';

type Cause = Error & { readonly code?: string };

/** Where a request was sent, for messages. */
interface ErrorTarget {
  readonly origin: string;
  readonly url: string;
}

/**
 * The error of a request that ended before a final status arrived.
 *
 * @param handedOver Whether the request was handed to a connection. After that, nobody knows how much of it arrived:
 *   a successful write has only reached the kernel, and a failed one may have sent a part.
 * @param connectTimeout Milliseconds; `undefined` if the caller's dispatcher decides.
 */
export function requestError(
  cause: Cause,
  { origin, url }: ErrorTarget,
  handedOver: boolean,
  connectTimeout?: number,
): PlantStoreError {
  // A dispatcher of the caller may throw a frozen one, to which no attempts and no stack could be added.
  if (isPlantStoreError(cause) && Object.isExtensible(cause)) return cause;
  if (connectTimeout === undefined && !handedOver && cause.code === 'UND_ERR_INVALID_ARG')
    return invalidOption('dispatcher', `did not take the request: ${cause.message}. ${UNDICI}`, { cause });
  if (!handedOver && cause.name !== 'SocketError') return connectError(cause, origin, connectTimeout);
  const outcome = handedOver ? 'unknown' : 'not-sent';
  if (handedOver && isUnreadable(cause)) {
    const message =
      cause.message === 'bad response'
        ? `${url} responded with 100 Continue, which the request did not ask for.`
        : `The response from ${url} is not valid HTTP/1.1, or its header section is too large.`;
    return new PlantStoreError('PLANT_STORE_RESPONSE_UNREADABLE', message, {
      outcome,
      cause: withoutData(cause),
    });
  }
  const next = handedOver ? 'a response arrived' : 'the request was sent';
  // Of one that the receiver has closed, there is no more to say.
  const reason = cause.name === 'SocketError' ? '' : `: ${systemReason(cause)}`;
  const message = `The connection to ${url} closed before ${next}${reason}.`;
  return new PlantStoreError('PLANT_STORE_CONNECTION_LOST', message, { outcome, cause });
}

/** Which dispatchers there may be, for messages. */
export const UNDICI = 'It and its interceptors must be of undici 7 or later.';

/**
 * The error of a connection that could not be made.
 *
 * @param timeout Milliseconds; `undefined` if the caller's dispatcher decides.
 */
export function connectError(cause: Cause, origin: string, timeout?: number): PlantStoreError {
  if (cause.name === 'ConnectTimeoutError') {
    const time = timeout === undefined ? 'the time of the dispatcher' : `${timeout} ms (connectTimeout)`;
    return notSent('PLANT_STORE_CONNECT_TIMEOUT', `Could not connect to ${origin} within ${time}.`);
  }
  return notSent('PLANT_STORE_CONNECT_FAILED', `Could not connect to ${origin}: ${reasonOf(cause)}.`, cause);
}

/** Why a connection could not be made, where Node or OpenSSL says it in a way that few understand. */
const reasons: readonly (readonly [code: RegExp, reason: string])[] = [
  // Of older versions of OpenSSL, only the message says it.
  [
    /wrong.version.number|packet.length.too.long/i,
    'the receiver does not speak TLS on this port. Use http:// if it speaks plain HTTP',
  ],
  [/^EMFILE/, 'this process has too many files and sockets open (EMFILE)'],
  [/^ENFILE/, 'this machine has too many files and sockets open (ENFILE)'],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)/,
    'the certificate of the receiver is not from a trusted authority. Pass the authority as `ca`',
  ],
  [/CERT_HAS_EXPIRED/, 'the certificate of the receiver has expired'],
  [/ALTNAME_INVALID/, 'the certificate of the receiver is for another host'],
  [/ALERT_CERTIFICATE_EXPIRED/, 'the receiver refused the certificate of `cert`, because it has expired'],
  [
    /ALERT_(?:CERTIFICATE_REVOKED|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    'the receiver refused the certificate of `cert`. It may not trust the authority',
  ],
  [/CERTIFICATE_REQUIRED/, 'the receiver needs a certificate of the sender. Pass `cert` and `key`'],
  [/HANDSHAKE_FAILURE/i, 'the receiver refused the TLS handshake. It may need `cert` and `key`'],
];

/**
 * Whether a receiver has refused the handshake after the sender had completed it, as TLS 1.3 allows: the receiver checks
 * the certificate of the sender last. It has read nothing of the request then (RFC 8446 §4.4.4, §6.2), and can't ask for
 * a certificate later, because Node doesn't offer that (§4.6.2). Other alerts may come at any time.
 *
 * @param received How many bytes of responses have come on the connection.
 */
export function isRefusedHandshake({ code = '' }: Cause, received: number): boolean {
  return received === 0 && handshakeAlert.test(code);
}

/** The alerts of RFC 8446 §6.2 that are about the handshake alone. */
const handshakeAlert =
  /ALERT_(?:HANDSHAKE_FAILURE|(?:BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(?:REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR|INSUFFICIENT_SECURITY)$/;

function reasonOf(cause: Cause): string {
  const all = `${cause.code} ${cause.message}`;
  const [, reason] = reasons.find(([pattern]) => pattern.test(all)) ?? [];
  return reason ?? systemReason(cause);
}

/**
 * Whether undici closed the connection because of what it received. It reports a fault of framing as a wrong length
 * once there was a Content-Length, a status below 100 as a failed assertion, and a response or an upgrade that nobody
 * asked for as a bad one.
 */
function isUnreadable({ name, code, message }: Cause): boolean {
  return (
    /^(?:HTTPParser|HeadersOverflow|ResponseContentLengthMismatch)Error$/.test(name) ||
    code === 'ERR_ASSERTION' ||
    (name === 'SocketError' && /^bad (?:response|upgrade)$/.test(message))
  );
}

/** The parser's error has the received bytes, which may repeat the access token. */
function withoutData(cause: Error & { data?: unknown }): Error {
  delete cause.data;
  return cause;
}
