import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request to an operations listener. */
export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly content?: string | Buffer;
}

/** The response to it. */
export interface Told {
  readonly status: number;
  readonly fields: IncomingMessage['headers'];
  readonly content: string;
  /** The content as JSON, if it is. */
  readonly json: unknown;
}

/**
 * Sends a request and returns the response. Unlike `fetch`, it sends any `Host`, and to a Unix socket too.
 *
 * @param to the URL of a listener, or the path of its socket
 */
export async function ask(to: string, asked: Asked | string = {}): Promise<Told> {
  const {
    method = 'GET',
    path = '/',
    fields = {},
    content,
  } = typeof asked === 'string' ? { path: asked } : asked;
  const where: RequestOptions = to.startsWith('/')
    ? { socketPath: to }
    : { port: new URL(to).port, host: new URL(to).hostname.replace(/[[\]]/g, '') };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ ...where, path, method, headers: fields, agent: false }, resolve)
      .on('error', reject)
      .end(content);
  });
  const body = await text(response);
  const isJson = response.headers['content-type']?.startsWith('application/json') === true && body !== '';
  return {
    status: response.statusCode as number,
    fields: response.headers,
    content: body,
    json: isJson ? JSON.parse(body) : undefined,
  };
}

/** A request that changes something. */
export function post(path: string, content: unknown, fields: Readonly<Record<string, string>> = {}): Asked {
  return {
    method: 'POST',
    path,
    fields: { 'content-type': 'application/json', ...fields },
    content: JSON.stringify(content),
  };
}
