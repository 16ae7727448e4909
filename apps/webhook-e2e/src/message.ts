import { facts } from '@plant-store/contract';

import { ACCESS_TOKEN } from './access-token.js';

/** Request line of a delivery. */
export const POST = `POST ${facts.DELIVERY_PATH} HTTP/1.1`;

/** The field that every request of HTTP/1.1 has. */
export const HOST = 'Host: localhost';

/** The right credentials. */
export const RIGHT = `Authorization: Bearer ${ACCESS_TOKEN}`;

/** Content that says nothing of what a plant looks like. */
export const ARBITRARY = 'arbitrary content';

/** The head of a message, with these lines and no other. */
export const head = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

/** A whole request with content, a character a byte. */
export const message = (line: string, fields: readonly string[], content: string = ARBITRARY): string =>
  head(line, HOST, ...fields, `Content-Length: ${content.length}`) + content;

/** Content in chunks (RFC 9112 §7.1), without the one that ends it. */
export const chunks = (...contents: readonly string[]): string =>
  contents.map((content) => `${content.length.toString(16)}\r\n${content}\r\n`).join('');

/** Ends content in chunks. */
export const LAST_CHUNK = '0\r\n\r\n';

/** The field of content in chunks. */
export const CHUNKED = 'Transfer-Encoding: chunked';

/** A delivery that is right in every respect. */
export const delivery = (content: string = ARBITRARY): string => message(POST, [RIGHT], content);
