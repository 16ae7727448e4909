import { STATUS_CODES } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import { readRetryAfter } from '@plant-store/contract';
import { Agent, type Dispatcher, request } from 'undici';

import type { Delivery, DeliveryHandler, HeaderField } from './handler.js';
import type { OpenTarget } from './load-handler.js';
import { TargetResponse } from './target-response.js';

/** The header fields that a forwarded delivery has beside those that it came with. */
const OWN_FIELDS = ['Inbox-Delivery', 'Inbox-Attempt', 'Inbox-Received-At'] as const;

/**
 * Fields that don't go on, in small letters: those that this request has of its own, and which encodings the sender can
 * read. Its credentials and the fields of its connection aren't stored.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'content-length', 'expect', 'host'],
  ...OWN_FIELDS.map((name) => name.toLowerCase()),
]);

/** How long a response may take after its status, in milliseconds, and how much of it is kept, in bytes. */
const REST = 2_000;
const KEPT_BYTES = 4_000;

/** Whether the target closed the connection while it was used, perhaps because it was idle before. */
function isClosed(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  // undici has the same code for a response that it can't read.
  if (code === 'UND_ERR_SOCKET') return message === 'other side closed';
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/**
 * Forwards each delivery to a target: its method, header fields and bytes as they came, and its key, its attempt and its
 * time in fields of ours. A response with 2xx means that it is handled. No redirect is followed.
 */
export function forwardTo(target: string): OpenTarget {
  // An attempt has a deadline of its own, which its signal knows.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const handle: DeliveryHandler = async (delivery, { signal }) => {
    const send = (): Promise<Dispatcher.ResponseData> =>
      request(target, {
        method: delivery.method,
        headers: fieldsOf(delivery).flat(),
        body: delivery.content,
        dispatcher: agent,
        signal,
      });
    // Bytes that nobody asked for, such as a second response to the request before, close the connection by then.
    await setImmediate();
    const { statusCode, headers, body } = await send().catch((error: unknown) => {
      if (signal.aborted || !isClosed(error)) throw error;
      return send();
    });
    addAbortSignal(AbortSignal.timeout(REST), body);
    if (statusCode >= 200 && statusCode < 300) {
      // What it says further changes nothing.
      body.dump().catch(() => undefined);
      return;
    }
    const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trimEnd();
    throw new TargetResponse(status, await beginningOf(body), readRetryAfter(headers['retry-after']));
  };
  return { handle, close: () => agent.destroy() };
}

function fieldsOf({ key, attempts, receivedAt, fields }: Delivery): HeaderField[] {
  const values = [key, String(attempts), new Date(receivedAt).toISOString()];
  return [
    ...fields.filter(([name]) => !LEFT_OUT.has(name.toLowerCase())),
    ...OWN_FIELDS.map((name, index): HeaderField => [name, values[index]!]),
  ];
}

/** What has come of a content that is too long, or breaks off. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= KEPT_BYTES) break;
    }
  } catch {
    // The status has said that the attempt has failed.
  }
  return Buffer.concat(chunks).toString();
}
