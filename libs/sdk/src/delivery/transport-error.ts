import { errors } from 'undici';
import { PlantStoreError } from '../errors/plant-store-error.js';

/**
 * The error of a delivery that ended before a final status arrived, from what the transport reports.
 *
 * @param handedOver Whether the request was handed to a connection. From then on nobody can tell how much
 *   of it arrived: a write that succeeds has only reached the kernel, and one that fails may have sent a part.
 */
export function transportError(cause: Error, url: string, handedOver: boolean): PlantStoreError {
  if (cause instanceof PlantStoreError) return ofItsOwn(cause);
  if (!handedOver) {
    return new PlantStoreError(
      'PLANT_STORE_CONNECTION_LOST',
      `The connection for ${url} broke before anything was sent: ${cause.message}.`,
      { outcome: 'not-sent', cause },
    );
  }
  return isUnreadable(cause)
    ? new PlantStoreError(
        'PLANT_STORE_ANSWER_UNREADABLE',
        `What came back from ${url} is not an answer in HTTP/1.1.`,
        { outcome: 'unknown', cause: withoutData(cause) },
      )
    : new PlantStoreError(
        'PLANT_STORE_CONNECTION_LOST',
        `The connection to ${url} broke before an answer arrived: ${cause.message}.`,
        { outcome: 'unknown', cause },
      );
}

/** Deliveries that waited for one connection are told of one error; each rejects with an error of its own. */
function ofItsOwn({ code, message, outcome, cause }: PlantStoreError): PlantStoreError {
  return new PlantStoreError(code, message, { outcome, cause });
}

/** undici reports a 100 or 101 that nobody asked for as a bad response or a bad upgrade. */
function isUnreadable(cause: Error): boolean {
  return (
    cause instanceof errors.HTTPParserError ||
    cause instanceof errors.HeadersOverflowError ||
    (cause instanceof errors.SocketError && /^bad (?:response|upgrade)$/.test(cause.message))
  );
}

/** The parser's error carries received bytes, which may repeat the access token: they are not printed. */
function withoutData(cause: Error): Error {
  if (Object.hasOwn(cause, 'data')) Object.defineProperty(cause, 'data', { enumerable: false });
  return cause;
}
