import { notSent, PlantStoreError } from '../errors/plant-store-error.js';

/**
 * The error of a connection that could not be made.
 *
 * @param timeout Milliseconds; `undefined` if the caller's dispatcher decides.
 */
export function connectError(
  cause: Error & { readonly code?: string },
  origin: string,
  timeout?: number,
): PlantStoreError {
  if (cause.name === 'ConnectTimeoutError') {
    const time = timeout === undefined ? 'the time of the dispatcher' : `${timeout} ms (connectTimeout)`;
    return notSent('PLANT_STORE_CONNECT_TIMEOUT', `Could not connect to ${origin} within ${time}.`);
  }
  const reason = isNotTls(cause)
    ? 'the receiver does not speak TLS on this port. Use http:// if it speaks plain HTTP.'
    : `${cause.message || cause.code}.`;
  return notSent('PLANT_STORE_CONNECT_FAILED', `Could not connect to ${origin}: ${reason}`, cause);
}

/**
 * Whether the peer sent something other than TLS, for example an HTTP response. The code says so, such as
 * ERR_SSL_WRONG_VERSION_NUMBER; of older versions of OpenSSL, the message.
 */
function isNotTls({ code, message }: Error & { readonly code?: string }): boolean {
  return /wrong.version.number|packet.length.too.long/i.test(`${code} ${message}`);
}

/**
 * The error of a request that ended before a final status arrived.
 *
 * @param handedOver Whether the request was handed to a connection. After that, nobody knows how much of it arrived:
 *   a successful write has only reached the kernel, and a failed one may have sent a part.
 */
export function requestError(cause: Error, url: string, handedOver: boolean): PlantStoreError {
  if (cause instanceof PlantStoreError) return copyOf(cause);
  const outcome = handedOver ? 'unknown' : 'not-sent';
  if (handedOver && isUnreadable(cause)) {
    const message = `The response from ${url} is not valid HTTP/1.1, or its header section is too large.`;
    return new PlantStoreError('PLANT_STORE_RESPONSE_UNREADABLE', message, {
      outcome,
      cause: withoutData(cause),
    });
  }
  const next = handedOver ? 'a response arrived' : 'the request was sent';
  const message = `The connection to ${url} closed before ${next}: ${cause.message}.`;
  return new PlantStoreError('PLANT_STORE_CONNECTION_LOST', message, { outcome, cause });
}

/** Requests that wait for the same connection get the same error. Each `send` rejects with its own copy. */
function copyOf({ code, message, outcome, cause }: PlantStoreError): PlantStoreError {
  return new PlantStoreError(code, message, { outcome, cause });
}

/**
 * Whether undici closed the connection because of what it received. It reports a fault of framing as a wrong length
 * once there was a Content-Length, a status below 100 as a failed assertion, and a response or an upgrade that nobody
 * asked for as a bad one.
 */
function isUnreadable({ name, code, message }: Error & { readonly code?: string }): boolean {
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
