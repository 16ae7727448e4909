import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Failure } from '@plant-store/contract';

import { Refusal } from '../http/refusal.js';
import { expectsContinue } from '../http/request.js';

/** What each name and each value of a header field takes beside its characters, in bytes. */
const STRING_OVERHEAD = 64;

/** The smallest buffer for content that comes in several parts, in bytes. */
const MIN_CAPACITY = 4_096;

/** The memory of all deliveries that are being received, and not stored yet. */
export class ContentMemory {
  #used = 0;

  /** @param limit in bytes. One delivery alone may take more, by its header fields. */
  constructor(private readonly limit: number) {}

  /** Begins the share of one delivery. */
  share(): MemoryShare {
    let held = 0;
    return {
      take: (bytes) => {
        const hasOthers = this.#used > held;
        if (hasOthers && this.#used + bytes > this.limit) throw new Refusal('unavailable');
        this.#used += bytes;
        held += bytes;
      },
      free: () => {
        this.#used -= held;
        held = 0;
      },
    };
  }
}

/** The memory of one delivery. */
export interface MemoryShare {
  /** @throws Refusal `unavailable` if the deliveries together would take more than the limit */
  take(bytes: number): void;
  /** Gives everything back. */
  free(): void;
}

/** The memory that the header fields of a request take, in bytes, about. */
export function memoryOfFields(rawHeaders: readonly string[]): number {
  let bytes = rawHeaders.length * STRING_OVERHEAD;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/**
 * Reads the content of a request into one buffer, however small the parts are in which it comes.
 *
 * @param limit the largest content, in bytes
 * @throws Refusal `content-too-large` beyond the limit, `unavailable` if there is no memory left, `content-missing` if
 * the connection ends, or the request gets a response, before the content does (RFC 9112 §8)
 */
export function readContent(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  memory: MemoryShare,
): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? limit);
  return new Promise((resolve, reject) => {
    let buffer: Buffer = Buffer.alloc(0);
    let size = 0;

    /** Doubles the buffer until it has room, so that each byte is copied twice at most. */
    const append = (part: Buffer): void => {
      const needed = size + part.length;
      if (size === 0) {
        // Most content comes in one part, which needs no copy.
        memory.take(part.length);
        buffer = part;
      } else {
        if (needed > buffer.length) {
          const capacity = Math.min(Math.max(2 * buffer.length, needed, MIN_CAPACITY), announced);
          memory.take(capacity - buffer.length);
          const larger = Buffer.allocUnsafeSlow(capacity);
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
        part.copy(buffer, size);
      }
      size = needed;
    };
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      response.off('close', onClose);
    };
    const refuse = (reason: Failure | Refusal): void => {
      stop();
      reject(reason instanceof Refusal ? reason : new Refusal(reason));
    };
    const onData = (part: Buffer): void => {
      if (size + part.length > limit) return refuse('content-too-large');
      try {
        append(part);
      } catch (refusal) {
        refuse(refusal as Refusal);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(buffer.subarray(0, size));
    };
    const onClose = (): void => refuse('content-missing');

    if (announced > limit) return refuse('content-too-large');
    if (request.destroyed || response.headersSent) return refuse('content-missing');
    if (expectsContinue(request)) response.writeContinue();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // The request stays open if it got a response before it was complete, such as 408.
    response.on('close', onClose);
  });
}
