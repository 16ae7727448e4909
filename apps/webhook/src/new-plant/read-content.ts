import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Failure } from '@plant-store/contract';

import { Refusal } from '../http/refusal.js';
import type { ContentBudget } from './content-budget.js';

/**
 * Reads a request's content as it comes, up to a limit, and never holds more than the limit. What is
 * held is taken from the budget; the caller gives it back once it is done with the content.
 *
 * @param limit in bytes
 * @throws Refusal `content-too-large` if it is larger than the limit, `unavailable` if the budget is used up,
 * `content-missing` if the connection ends before the content does (RFC 9112 §8); the budget is then as before
 */
export function readContent(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  budget: ContentBudget,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;

    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const refuse = (failure: Failure): void => {
      stop();
      budget.giveBack(size);
      reject(new Refusal(failure));
    };
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > limit) return refuse('content-too-large');
      if (!budget.take(chunk.length)) return refuse('unavailable');
      size += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    };
    const onClose = (): void => refuse('content-missing');

    if (Number(request.headers['content-length']) > limit) return refuse('content-too-large');
    if (request.destroyed) return refuse('content-missing');
    if (expectsContinue(request)) response.writeContinue();
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** HTTP/1.0 knows neither the expectation nor the answer to it (RFC 9110 §10.1.1, §15.2). */
function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersionMinor > 0;
}
