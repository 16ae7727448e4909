import { facts } from '@plant-store/contract';

/** The accepted token. No other text in the tests contains it. */
export const ACCESS_TOKEN = 'arbitrary-t0ken.of~the_tests+/==';

/** Request line of a delivery. */
export const POST = `POST ${facts.DELIVERY_PATH} HTTP/1.1`;

/** The field that every HTTP/1.1 request has. */
export const HOST = 'Host: localhost';

/** The right credentials. */
export const RIGHT = `Authorization: Bearer ${ACCESS_TOKEN}`;

/** Content that says nothing about the fields of a plant. */
export const ARBITRARY = 'arbitrary content';

/** The head of a message: these lines and no others. */
export const head = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

/** A whole request with content, one character per byte. */
export const message = (line: string, fields: readonly string[], content: string = ARBITRARY): string =>
  head(line, HOST, ...fields, `Content-Length: ${content.length}`) + content;

/** Content in chunks (RFC 9112 §7.1), without the last chunk. */
export const chunks = (...contents: readonly string[]): string =>
  contents.map((content) => `${content.length.toString(16)}\r\n${content}\r\n`).join('');

/** The last chunk, without a trailer. */
export const LAST_CHUNK = '0\r\n\r\n';

/** The field that announces content in chunks. */
export const CHUNKED = 'Transfer-Encoding: chunked';

/** A delivery that the receiver accepts. */
export const delivery = (content: string = ARBITRARY): string => message(POST, [RIGHT], content);
