import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { facts } from '@plant-store/contract';
import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { openConnection, type Place } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import {
  ARBITRARY,
  CHUNKED,
  chunks,
  delivery,
  head,
  HOST,
  LAST_CHUNK,
  POST,
  RIGHT,
} from '../support/messages.js';
import { startPassingParent } from '../support/passing-parent.js';
import type { Environment } from '../support/process.js';
import { type LoggingProcess, preloading, startReceiver } from '../support/receiver.js';
import {
  acknowledged,
  BAD,
  elsewhere,
  malformedMessage,
  METHOD_NOT_ALLOWED,
  NO_CREDENTIALS,
  type Stored,
  stored,
  unauthenticated,
  withoutContent,
  wrongMethod,
} from '../support/requests.js';

/** A receiver, and where a sender connects to it. */
interface Reached {
  readonly process: LoggingProcess;
  readonly inbox: string;
  readonly place: Place;
}

/** Listens on a host, for a sender that connects to an address of it. */
const listening = async (host: string, address: string, settings?: Environment): Promise<Reached> => {
  const receiver = await startReceiver({ settings: { ...settings, HOST: host }, cleanUp: afterThisFile });
  return { ...receiver, place: { host: address, port: receiver.port } };
};

/** As systemd does. */
async function listeningOnUnixSocket(): Promise<Reached> {
  const path = join(makeFolder(afterThisFile), 'socket');
  const parent = await startPassingParent({}, { path }, afterThisFile);
  parent.start();
  await parent.process.logged('listening');
  return { ...parent, place: { path } };
}

/** The addresses of IPv6 of this machine, each with its zone. */
const ipv6 = Object.entries(networkInterfaces()).flatMap(([name, found = []]) =>
  found
    .filter(({ family }) => family === 'IPv6')
    .map(({ address, scopeid }) => (scopeid === 0 ? address : `${address}%${name}`)),
);

/** As a handler may need it for what it asks. It is for the whole process. */
const LENIENT: Environment = {
  NODE_OPTIONS: `${preloading()['NODE_OPTIONS']} --insecure-http-parser`.trim(),
};

/** Every kind of address that Node.js can listen on, and how a sender reaches it. */
const places: readonly { readonly where: string; readonly start: () => Promise<Reached> }[] = [
  { where: '127.0.0.1', start: () => listening('127.0.0.1', '127.0.0.1') },
  {
    where: 'localhost, with a lenient parser for everything else',
    start: () => listening('localhost', '127.0.0.1', LENIENT),
  },
  ...(ipv6.length === 0
    ? []
    : [
        { where: ':: from IPv4', start: () => listening('::', '127.0.0.1') },
        { where: ':: from IPv6', start: () => listening('::', '::1') },
      ]),
  ...ipv6
    .filter((address) => address.startsWith('fe80:'))
    .slice(0, 1)
    .map((address) => ({ where: 'an address with a zone', start: () => listening(address, address) })),
  ...(process.platform === 'win32' ? [] : [{ where: 'a Unix socket', start: listeningOnUnixSocket }]),
];

describe.each(places)('the wire table on $where', ({ start }) => {
  let receiver: Reached;

  beforeAll(async () => {
    receiver = await start();
  });

  describe.each([
    { what: 'the right token and content: acknowledged, and stored as it came', rows: acknowledged },
    { what: 'no right token: refused before anything else is checked', rows: unauthenticated },
    { what: 'the right token, no content', rows: withoutContent },
    { what: 'a method without content semantics', rows: wrongMethod },
    { what: 'another path', rows: elsewhere },
    { what: 'a malformed or too large message', rows: malformedMessage },
  ])('$what', ({ rows }) => {
    test.each(rows)('$name → $want.status', async ({ given, want }) => {
      const before = lastId(receiver);
      const connection = await openConnection(receiver.place);

      connection.write(given);

      expectResponse(await connection.response(), want);
      const stores = [...(want.stores ?? [])];
      if (want.closes === true) expect(await connection.rest()).toBe('');
      else {
        connection.write(delivery('the next one'));
        expectResponse(await connection.response(), { status: 204 });
        stores.push(stored({ content: 'the next one' }));
      }
      expect(storedSince(receiver, before)).toEqual(stores);
    });
  });

  test('nothing that strangers send is logged as an error', async () => {
    const errors = receiver.process.entries().filter(({ level }) => level === 'error');

    expect(errors).toEqual([]);
  });

  test('a sender that disconnects in the middle: nothing is stored', async () => {
    const before = lastId(receiver);
    const connection = await openConnection(receiver.place);
    connection.write(head(POST, HOST, RIGHT, 'Content-Length: 100', 'Expect: 100-continue'));
    await connection.response();
    connection.write('half');

    connection.destroy();

    const next = await openConnection(receiver.place);
    next.write(delivery());
    expectResponse(await next.response(), { status: 204 });
    expect(storedSince(receiver, before)).toEqual([stored()]);
  });

  describe('a sender that ends its side', () => {
    test.each([
      { name: 'after a delivery', given: delivery(), statuses: [204], stores: [ARBITRARY] },
      {
        name: 'after several',
        given: delivery('one') + delivery('two') + head(POST, HOST),
        statuses: [204, 204, 401],
        stores: ['one', 'two'],
      },
      {
        name: 'after a delivery in chunks',
        given: head(POST, HOST, RIGHT, CHUNKED) + chunks('in chunks') + LAST_CHUNK,
        statuses: [204],
        stores: ['in chunks'],
      },
    ])('$name gets its responses, then the close', async ({ given, statuses, stores }) => {
      const before = lastId(receiver);
      const connection = await openConnection(receiver.place, { allowHalfOpen: true });

      connection.write(given);
      connection.end();

      // Whether it says that it closes depends on which comes first, the end or the response.
      for (const status of statuses)
        expect((await connection.response()).line).toMatch(`HTTP/1.1 ${status} `);
      expect(await connection.rest()).toBe('');
      expect(storedSince(receiver, before)).toEqual(stores.map((content) => stored({ content })));
    });

    test.each([
      { name: 'half a head', given: `${POST}\r\n` },
      { name: 'half of the content', given: delivery().slice(0, -1) },
      { name: 'chunks without the last one', given: head(POST, HOST, RIGHT, CHUNKED) + chunks('a') },
    ])('after $name: 400, the close, and nothing is stored', async ({ given }) => {
      const before = lastId(receiver);
      const connection = await openConnection(receiver.place, { allowHalfOpen: true });

      connection.write(given);
      connection.end();

      expectResponse(await connection.response(), BAD);
      expect(await connection.rest()).toBe('');
      expect(storedSince(receiver, before)).toEqual([]);
    });

    test.each([
      { name: 'before a request', given: '' },
      { name: 'after a response', given: delivery() },
    ])('$name: the close', async ({ given }) => {
      const connection = await openConnection(receiver.place, { allowHalfOpen: true });
      connection.write(given);
      if (given !== '') expectResponse(await connection.response(), { status: 204 });

      connection.end();

      expect(await connection.rest()).toBe('');
    });
  });

  test('pipelined requests get their responses in order, until one is refused before its token is accepted', async () => {
    const before = lastId(receiver);
    const connection = await openConnection(receiver.place);

    connection.write(
      delivery('one') +
        head(`GET ${facts.DELIVERY_PATH} HTTP/1.1`, HOST, RIGHT) +
        delivery('two') +
        head(POST, HOST) +
        delivery('never parsed').repeat(100),
    );

    const wanted = [{ status: 204 }, METHOD_NOT_ALLOWED, { status: 204 }, NO_CREDENTIALS];
    for (const want of wanted) expectResponse(await connection.response(), want);
    expect(await connection.rest()).toBe('');
    const contents = storedSince(receiver, before).map(({ content }) => content.toString());
    expect(contents.sort()).toEqual(['one', 'two']);
  });

  test.each([
    { name: 'bytes that are not HTTP', given: head('arbitrary') },
    { name: 'CONNECT', given: head('CONNECT localhost:1 HTTP/1.1', HOST) },
  ])('$name behind pending deliveries: the last of them closes the connection', async ({ given }) => {
    const before = lastId(receiver);
    const connection = await openConnection(receiver.place);

    connection.write(delivery('one') + delivery('two') + given);

    expectResponse(await connection.response(), { status: 204 });
    expectResponse(await connection.response(), { status: 204, closes: true });
    expect(await connection.rest()).toBe('');
    expect(storedSince(receiver, before)).toEqual([stored({ content: 'one' }), stored({ content: 'two' })]);
  });

  test('a request sent byte by byte', async () => {
    const before = lastId(receiver);
    const connection = await openConnection(receiver.place);

    for (const byte of delivery()) await connection.writeAll(Buffer.from(byte));

    expectResponse(await connection.response(), { status: 204 });
    expect(storedSince(receiver, before)).toEqual([stored()]);
  });
});

const lastId = ({ inbox }: Reached): number => readInbox(inbox).at(-1)?.id ?? 0;

const storedSince = ({ inbox }: Reached, id: number): Stored[] =>
  readInbox(inbox, id).map(({ method, mediaType, contentEncoding, content }) => ({
    method,
    mediaType,
    contentEncoding,
    content,
  }));
