/** Maps what was sent over a connection to the wire catalogue of the contract, line by line. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { openQuestions } from '@plant-store/contract';
import { wire, type WireItem, type WireSection } from './wire.js';
import { afterThisTest } from '@plant-store/test-support';

/** The answers of a process, by question. */
export type GivenAnswers = Readonly<Record<string, unknown>>;

/** What varies in a line of the catalogue, besides the parts of answers. */
const VARIABLES: Readonly<Record<string, string>> = {
  any: '[^]*',
  nothing: '',
  text: '[\\x20-\\xff]+',
  code: '[A-Z_]+',
  name: "[\\w!#$%&'*+.^`|~-]+",
  number: '\\d+',
  token: '[\\w\\-.~+/]+=*',
  base64: '[A-Za-z\\d+/]+=*',
  authority: '(?:[\\w.-]+|\\[[\\da-f:]+\\]):\\d+',
  reason: "(?:[A-Z][A-Za-z' -]*)?",
  date: '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d{4} \\d\\d:\\d\\d:\\d\\d GMT',
  'error payload': '\\{(?:"[^"]+":(?:\\d+|"[^"]*"),?)+\\}',
  // The tests send no other.
  "the caller's own": 'x-own',
  "the sender's own": '(?:content-type|x-own)',
};

const questions: ReadonlySet<string> = new Set(openQuestions.map(({ id }) => id));
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** What a line of the catalogue looks like under some answers; undefined if it needs one that isn't there. */
function patternOf([line, , , once]: WireItem, given: GivenAnswers): RegExp | undefined {
  if (once !== undefined && given[once] === undefined) return undefined;
  const parts = line.split(/(\{[^{}"]+\})/).map((part) => {
    if (!/^\{[^"]+\}$/.test(part)) return escaped(part);
    const name = part.slice(1, -1);
    const [id, ...path] = name.split('.') as [string, ...string[]];
    if (questions.has(id)) return answered(given[id], path);
    if (name.includes('|')) return `(?:${name.split('|').map(escaped).join('|')})`;
    return VARIABLES[name];
  });
  return parts.includes(undefined) ? undefined : new RegExp(`^${parts.join('')}$`);
}

function answered(answer: unknown, [key, ...rest]: readonly string[]): string | undefined {
  if (typeof answer === 'string' || typeof answer === 'number') return escaped(String(answer));
  if (key === undefined || typeof answer !== 'object' || answer === null) return undefined;
  const members = answer as Readonly<Record<string, unknown>>;
  if (key !== '*') return answered(members[key], rest);
  const parts = Object.values(members).flatMap((member) => answered(member, rest) ?? []);
  return parts.length === 0 ? undefined : `(?:${parts.join('|')})`;
}

/** A message, line by line as in the catalogue. */
interface Message {
  /** The method of a request, or the status of a response. */
  readonly kind: string;
  readonly lines: readonly string[];
}

/**
 * The messages in some bytes, one character per byte. What can't be read is a line as it came.
 *
 * @param requests those to which they are the responses; `undefined` if they are requests
 */
export function messagesIn(bytes: string, requests?: readonly Message[]): Message[] {
  const messages: Message[] = [];
  for (let rest = bytes; rest !== '';) {
    const [head] = rest.split('\r\n\r\n', 1) as [string];
    if (head === rest) return [...messages, { kind: '', lines: [rest] }];
    rest = rest.slice(head.length + 4);
    const [start, ...fields] = head.split('\r\n') as [string, ...string[]];
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(start) ?? [];
    const request = requests === undefined ? /^(\S+) (\S+) (\S+)$/.exec(start) : null;
    const isFinal = status?.startsWith('1') !== true;
    const method = requests?.[messages.filter(({ kind }) => !kind.startsWith('1')).length]?.kind;
    const hasNone = !isFinal || method === 'HEAD' || ['204', '304'].includes(status ?? '');
    const [content, trailer, after] = hasNone
      ? ['', [], rest]
      : contentIn(rest, fields, requests === undefined);
    const lines = request
      ? [`method ${request[1]}`, `target ${request[2]}`, `version ${request[3]}`]
      : [status === undefined ? start : start.replace('HTTP/1.1', 'status')];
    lines.push(...fields.map(normalized), ...trailer, `content ${content}`);
    messages.push({ kind: status ?? request?.[1] ?? '', lines });
    rest = after;
  }
  return messages;
}

/** Field names are case-insensitive, and values may have whitespace around them (RFC 9110 §5.1, §5.5). */
function normalized(field: string): string {
  const colon = field.indexOf(':');
  return colon < 1 ? field : `${field.slice(0, colon).toLowerCase()}: ${field.slice(colon + 1).trim()}`;
}

/** @returns the content, the trailer, and what comes behind them */
function contentIn(rest: string, fields: readonly string[], isRequest: boolean): [string, string[], string] {
  const value = (name: string): string | undefined =>
    fields
      .map(normalized)
      .find((field) => field.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const length = value('content-length');
  if (value('transfer-encoding') === undefined) {
    const end = length === undefined ? (isRequest ? 0 : rest.length) : Number(length);
    return [rest.slice(0, end), [], rest.slice(end)];
  }
  let content = '';
  for (;;) {
    const [size = ''] = rest.split('\r\n', 1);
    const end = size.length + 2 + Number.parseInt(size, 16);
    if (!/^[\da-f]+$/.test(size)) return [content, size === '' ? [] : [size], ''];
    if (Number.parseInt(size, 16) === 0) {
      const [trailer = ''] = rest.slice(end).split('\r\n\r\n', 1);
      const isEmpty = trailer.startsWith('\r\n');
      return [
        content,
        isEmpty ? [] : trailer.split('\r\n').map((line) => `trailer ${line}`),
        isEmpty ? rest.slice(end + 2) : '',
      ];
    }
    content += rest.slice(size.length + 2, end);
    rest = rest.slice(end + 2);
  }
}

const nameOf = (section: string, item: WireItem): string => `${section}: ${JSON.stringify(item)}`;

/** What of the catalogue was seen. */
export class WireRecord {
  /** The lines that were seen, with their sections: some lines are in several. */
  readonly #seen = new Set<string>();
  readonly unmapped = new Set<string>();

  /** Maps messages to a section of the catalogue. */
  map(section: WireSection, messages: readonly Message[], given: GivenAnswers = {}): void {
    const items = wire[section].map((item) => ({ item, pattern: patternOf(item, given) }));
    for (const { kind, lines } of messages)
      for (const line of lines) {
        const found = items.find(
          ({ item: [, , on = '.*'], pattern }) => pattern?.test(line) && new RegExp(`^(?:${on})$`).test(kind),
        );
        if (found !== undefined) this.#seen.add(nameOf(section, found.item));
        else
          this.unmapped.add(
            `${JSON.stringify(line.slice(0, 200))} of a message with ${kind} is not in \`${section}\` of apps/webhook-e2e/support/wire.ts. Stop sending it, or add it there with what states it.`,
          );
      }
  }

  /** Maps a request and the responses to it, as the receiver sees them. */
  exchange(
    listener: 'deliveries' | 'operations',
    sent: string,
    received: string,
    given?: GivenAnswers,
  ): void {
    const requests = messagesIn(sent);
    this.map(`${listener}Read`, requests, given);
    this.map(`${listener}Sent`, messagesIn(received, requests), given);
  }

  /** The lines of the catalogue that were never seen. */
  neverSeen(): string[] {
    return Object.entries(wire).flatMap(([section, items]) =>
      items.map((item) => nameOf(section, item)).filter((name) => !this.#seen.has(name)),
    );
  }
}

/** What was sent over the connections of a server, one character per byte. */
export interface Recorded {
  readonly port: number;
  readonly url: string;
  readonly connections: readonly { sent: string; received: string }[];
  /** Resolves with its first response. */
  readonly responded: Promise<void>;
}

/** A server that passes each connection on to a port, or responds to each request with the next of some bytes. */
export async function recordConnections(to: number | readonly string[]): Promise<Recorded> {
  const connections: { sent: string; received: string }[] = [];
  const sockets: Socket[] = [];
  let count = 0;
  let hasResponded!: () => void;
  const responded = new Promise<void>((resolve) => (hasResponded = resolve));
  const server = createServer((socket) => {
    const connection = { sent: '', received: '' };
    connections.push(connection);
    const reply = (bytes: string): void => {
      connection.received += bytes;
      hasResponded();
      socket.write(bytes, 'latin1');
    };
    sockets.push(socket.setEncoding('latin1').on('error', () => undefined));
    const target = typeof to === 'number' ? connect(to, '127.0.0.1') : undefined;
    if (target) {
      sockets.push(target.setEncoding('latin1').on('error', () => undefined));
      target.on('data', (bytes: string) => reply(bytes)).on('end', () => socket.end());
      socket.on('end', () => target.end());
    }
    let begun = 0;
    socket.on('data', (bytes: string) => {
      connection.sent += bytes;
      if (typeof to === 'number') return void target!.write(bytes, 'latin1');
      const [head] = connection.sent.slice(begun).split('\r\n\r\n', 1) as [string];
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (connection.sent.length < begun + head.length + 4 + length) return;
      begun = connection.sent.length;
      reply(to[Math.min(count++, to.length - 1)]!);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, connections, responded };
}
