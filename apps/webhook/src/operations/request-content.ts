import type { IncomingMessage } from 'node:http';

import { RequestFault } from './request-fault.js';

/** Largest content of a request, in bytes. */
export const MAX_REQUEST_BYTES = 65_536;

/**
 * Reads the content of a request as JSON. A request without content has an empty object. Another media type is refused
 * because a page of another site could send it with a form.
 *
 * @throws RequestFault
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json')
    throw new RequestFault('CONTENT_NOT_JSON', 'Content-Type must be application/json.');
  const content = await read(request);
  if (content.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    throw new RequestFault('INVALID_CONTENT', 'The content is not JSON in UTF-8.');
  }
}

function read(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): unknown => request.off('data', onData).off('end', onEnd).off('close', onClose);
    const refuse = (): void => {
      stop();
      const message = `The content must not be larger than ${MAX_REQUEST_BYTES} bytes.`;
      reject(new RequestFault('CONTENT_TOO_LARGE', message));
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MAX_REQUEST_BYTES) refuse();
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onClose = (): void => {
      stop();
      reject(new RequestFault('INVALID_CONTENT', 'The connection has ended before the content.'));
    };
    if (Number(request.headers['content-length']) > MAX_REQUEST_BYTES) refuse();
    else request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
