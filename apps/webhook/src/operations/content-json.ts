import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import type { ExportedDelivery } from '../inbox/inbox-operations.js';

/** How much of a content is written at a time, in bytes. It is a multiple of 3, so that base64 is padded only at the end. */
const PART = 196_608;

/**
 * Deliveries with their contents in base64 as JSON, in parts. A content may have hundreds of megabytes: written at once, it
 * would block the event loop for seconds, and be longer than a text may be.
 *
 * @param begin what stands before the deliveries, and `end` what stands behind them
 */
export function streamJson(begin: string, deliveries: readonly ExportedDelivery[], end: string): Readable {
  return Readable.from(partsOf(begin, deliveries, end));
}

async function* partsOf(
  begin: string,
  deliveries: readonly ExportedDelivery[],
  end: string,
): AsyncGenerator<string> {
  let text = begin;
  for (const [index, { content, ...delivery }] of deliveries.entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(delivery).slice(0, -1)},"content":"`;
    const bytes = asBuffer(content);
    for (let offset = 0; offset < bytes.length; offset += PART) {
      text += bytes.toString('base64', offset, Math.min(offset + PART, bytes.length));
      if (text.length < PART) continue;
      yield text;
      text = '';
      await setImmediate();
    }
    text += '"}';
  }
  yield text + end;
}

/** The same bytes, not copied. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
