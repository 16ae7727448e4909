import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';

import type { ExampleDelivery } from '../example-delivery.js';

/** What a receiver answered. */
export interface Answer {
  readonly status: number;
  readonly challenge?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly content: string;
}

/** Sends a delivery over a connection of its own. */
export async function request(url: string, { method, headers, content }: ExampleDelivery): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(content)) },
      agent: false,
    });
    outgoing.once('error', reject).once('response', (response) => {
      text(response).then((received) => {
        resolve({
          status: response.statusCode ?? 0,
          challenge: response.headers['www-authenticate'],
          mediaType: response.headers['content-type'],
          content: received,
        });
      }, reject);
    });
    outgoing.end(content);
  });
}
