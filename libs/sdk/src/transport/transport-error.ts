import { errors } from 'undici';
import { PlantStoreError } from '../errors/plant-store-error.js';

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
  if (cause instanceof errors.ConnectTimeoutError) {
    const time = timeout === undefined ? 'the time of the dispatcher' : `${timeout} ms (connectTimeout)`;
    const message = `Could not connect to ${origin} within ${time}.`;
    return new PlantStoreError('PLANT_STORE_CONNECT_TIMEOUT', message, { outcome: 'not-sent' });
  }
  const reason = isNotTls(cause)
    ? 'the receiver does not speak TLS on this port. Use http:// if it speaks plain HTTP.'
    : `${cause.message || cause.code}.`;
  const message = `Could not connect to ${origin}: ${reason}`;
  return new PlantStoreError('PLANT_STORE_CONNECT_FAILED', message, { outcome: 'not-sent', cause });
}

/** Whether the peer sent something other than TLS, for example an HTTP response. Older versions of OpenSSL say EPROTO. */
function isNotTls({ code, message }: Error & { readonly code?: string }): boolean {
  return (
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' ||
    (code === 'EPROTO' && /wrong version number|packet length too long/i.test(message))
  );
}

/**
 * The error of a request that ended before a final status arrived.
 *
 * @param handedOver Whether the request was handed to a connection. After that, nobody knows how much of it arrived:
 *   a successful write has only reached the kernel, and a failed one may have sent a part.
 */
export function requestError(cause: Error, url: string, handedOver: boolean): PlantStoreError {
  if (cause instanceof PlantStoreError) return copyOf(cause);
  if (!handedOver) {
    return new PlantStoreError(
      'PLANT_STORE_CONNECTION_LOST',
      `The connection to ${url} closed before the request was sent: ${cause.message}.`,
      { outcome: 'not-sent', cause },
    );
  }
  return isUnreadable(cause)
    ? new PlantStoreError(
        'PLANT_STORE_RESPONSE_UNREADABLE',
        `The response from ${url} is not valid HTTP/1.1, or its header section is too large.`,
        { outcome: 'unknown', cause: withoutData(cause) },
      )
    : new PlantStoreError(
        'PLANT_STORE_CONNECTION_LOST',
        `The connection to ${url} closed before a response arrived: ${cause.message}.`,
        { outcome: 'unknown', cause },
      );
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
function isUnreadable(cause: Error & { readonly code?: string }): boolean {
  return (
    cause instanceof errors.HTTPParserError ||
    cause instanceof errors.HeadersOverflowError ||
    cause instanceof errors.ResponseContentLengthMismatchError ||
    cause.code === 'ERR_ASSERTION' ||
    (cause instanceof errors.SocketError && /^bad (?:response|upgrade)$/.test(cause.message))
  );
}

/** The parser's error has the received bytes, which may repeat the access token. */
function withoutData(cause: Error & { data?: unknown }): Error {
  delete cause.data;
  return cause;
}
