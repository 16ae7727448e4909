import { randomBytes } from 'node:crypto';
import { METHODS } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { dirname } from 'node:path';

import { afterThisFile, afterThisTest, freePort, makeFolder } from '@plant-store/test-support';

import { openConnection, type RawResponse } from '../support/connection.js';
import { readInbox } from '../support/inbox.js';
import {
  ARBITRARY,
  CHUNKED,
  chunks,
  delivery,
  head,
  HOST,
  message,
  POST,
  RIGHT,
} from '../support/messages.js';
import { startPassingParent } from '../support/passing-parent.js';
import { soon } from '../support/port.js';
import type { Environment } from '../support/process.js';
import { preloading, type RunningReceiver, startReceiver } from '../support/receiver.js';
import { openSender } from '../support/sender.js';
import { findNginx, HAS_IPV6, startNginx, startNginxOfInspector, startNginxWithTls } from './nginx.js';

/** nginx would send it again by default, because the method is idempotent. */
const PUT = POST.replace('POST', 'PUT');

const nginx = findNginx();
const withNginx = nginx === undefined ? describe.skip : describe;

/** The files of deploy/, each in front of one receiver. */
const FILES = [
  { file: 'nginx.conf', upstream: (port: number) => port },
  { file: 'nginx-two-receivers.conf', upstream: (port: number) => [port, port] as const },
];

withNginx('through nginx as documented', () => {
  test('deliveries on a connection each are stored byte for byte, over few connections', async () => {
    const receiver = await startReceiver();
    const counted = await countConnections(receiver.port);
    const port = await startNginx(nginx!, counted.port);
    const contents = Array.from({ length: 200 }, (_, index) => arbitrary(1 + index * 500));

    const left = contents.values();
    const send = async (): Promise<void> => {
      for (const content of left) expect(statusOf(await request(port, delivery(content)))).toBe(204);
    };
    await Promise.all(Array.from({ length: 8 }, send));

    expect(contentsOf(receiver.inbox).sort()).toEqual(contents.sort());
    expect(counted.connections()).toBeLessThanOrEqual(16);
  });

  test.each(FILES)(
    '$file: with TLS, the sender delivers, and nothing of a token is logged',
    async ({ upstream }) => {
      const receiver = await startReceiver();
      const { stopAfter, ...proxy } = await startNginxWithTls(nginx!, upstream(receiver.port));
      const sender = openSender(proxy);

      await sender.send(ARBITRARY);
      await expect(openSender(proxy, 'wrong-t0ken').send('refused')).rejects.toMatchObject({ status: 401 });
      await receiver.process.stop();
      await expect(sender.send('not stored')).rejects.toMatchObject({ status: 502 });

      expect(contentsOf(receiver.inbox)).toEqual([ARBITRARY]);
      const log = await stopAfter(3);
      const statuses = Array.from(log.matchAll(/" (\d{3}) /g), ([, status]) => status);
      expect(statuses.sort()).toEqual(['204', '401', '502']);
      expect(log).toContain('[error]');
      expect(log).not.toMatch(/Bearer|t0ken/i);
    },
  );

  test.each(FILES)('$file: another path has 404, over IPv4 and IPv6', async ({ upstream }) => {
    const port = await startNginx(nginx!, upstream(await freePort()));

    for (const host of ['127.0.0.1', ...(HAS_IPV6 ? ['[::1]'] : [])])
      for (const path of ['/', '/index.html', '/plant', '/plant/webhook/']) {
        const response = await fetch(`http://${host}:${port}${path}`);
        expect({ host, path, status: response.status }).toEqual({ host, path, status: 404 });
        expect(await response.text()).not.toContain('Welcome');
      }
  });

  test('a delivery in chunks is stored', async () => {
    const receiver = await startReceiver();
    const port = await startNginx(nginx!, receiver.port);
    const content = arbitrary(100_000);

    const given =
      head(POST, HOST, RIGHT, CHUNKED) + chunks(content.slice(0, 70_000), content.slice(70_000), '');

    expect(statusOf(await request(port, given))).toBe(204);
    expect(contentsOf(receiver.inbox)).toEqual([content]);
  });

  describe('the refusal of', () => {
    let direct: number;
    let proxied: number;
    let inbox: string;

    beforeAll(async () => {
      ({ port: direct, inbox } = await startReceiver({ cleanUp: afterThisFile }));
      proxied = await startNginx(nginx!, direct, { cleanUp: afterThisFile });
    });

    test.each([
      { what: 'no token', given: message(POST, []), status: 401 },
      { what: 'no token, and much content', given: message(POST, [], arbitrary(5_000_000)), status: 401 },
      { what: 'a wrong token', given: message(POST, ['Authorization: Bearer wrong']), status: 401 },
      { what: 'too much content', given: delivery(arbitrary(5_000_000)), status: 413 },
      {
        what: 'too much content in chunks',
        given: head(POST, HOST, RIGHT, CHUNKED) + chunks(arbitrary(5_000_000), ''),
        status: 413,
      },
      { what: 'another method', given: message(POST.replace('POST', 'DELETE'), [RIGHT]), status: 405 },
    ])('$what is the one of the receiver', async ({ given, status }) => {
      const stored = readInbox(inbox).length;
      const refusal = await request(direct, given);
      expect(statusOf(refusal)).toBe(status);

      for (let round = 0; round < 10; round += 1) {
        expect(passedOn(await request(proxied, given))).toEqual(passedOn(refusal));
      }
      expect(statusOf(await request(proxied, delivery()))).toBe(204);
      expect(readInbox(inbox)).toHaveLength(stored + 1);
    });
  });

  test('while the receiver stops and starts, senders get 502 or 503, and no delivery is stored twice', async () => {
    const folder = makeFolder();
    const settings = { PORT: String(await freePort()) };
    let receiver = await startReceiver({ folder, settings });
    const load = new Load(await startNginx(nginx!, receiver.port), PUT);

    for (const end of ['stop', 'kill'] as const) {
      await load.untilMore(204);
      await receiver.process[end]();
      await load.untilMore(502);
      receiver = await startReceiver({ folder, settings });
    }
    await load.untilMore(204);
    await load.end();

    const { statuses, ...others } = load.faults(contentsOf(receiver.inbox));
    expect(others).toEqual({ missing: 0, storedTwice: 0 });
    expect(statuses.filter((status) => ![502, 503].includes(status))).toEqual([]);
  });

  test('a receiver restarts on a socket that was passed to it: every delivery is acknowledged, and stored once', async () => {
    const receiver = await startPassingParent();
    receiver.start();
    const load = new Load(await startNginx(nginx!, receiver.port), PUT);

    for (let round = 1; round <= 2; round += 1) {
      await receiver.process.logged('listening', round);
      await load.untilMore();
      receiver.stop();
      await receiver.process.logged('ended', round);
      receiver.start();
    }
    await load.untilMore();
    await load.end();

    expect(load.faults(contentsOf(receiver.inbox))).toEqual(NO_FAULTS);
  }, 120_000);

  test('two receivers restart in turn: every delivery is acknowledged, and stored once', async () => {
    const start = async (folder: string, port: number): Promise<RunningReceiver> =>
      startReceiver({ folder, settings: { PORT: String(port), SHUTDOWN_DELAY_MS: '5000' } });
    const receivers = [
      await start(makeFolder(), await freePort()),
      await start(makeFolder(), await freePort()),
    ] as const;
    const load = new Load(await startNginx(nginx!, [receivers[0].port, receivers[1].port]), POST);

    for (const { process, inbox, port } of receivers) {
      await load.untilMore();
      expect(await process.stop()).toEqual({ code: 0, signal: null });
      await start(dirname(inbox), port);
    }
    await load.untilMore();
    await load.end();

    const stored = receivers.map(({ inbox }) => contentsOf(inbox));
    for (const each of stored) expect(each.length).toBeGreaterThan(100);
    expect(load.faults(stored.flat())).toEqual(NO_FAULTS);
  }, 120_000);

  test.each([
    { receivers: 1, method: PUT, buffering: 'off' },
    { receivers: 1, method: PUT, buffering: 'on' },
    { receivers: 2, method: POST, buffering: 'off' },
    { receivers: 2, method: POST, buffering: 'on' },
  ] as const)(
    'a delivery whose kept connection breaks before the response is sent once: $receivers receivers, $method, buffering $buffering',
    async ({ receivers, method, buffering }) => {
      const requests: string[] = [];
      const listen = (): Promise<number> =>
        listenUntilTheTestEnds((socket) => {
          let isFirst = true;
          socket.setEncoding('latin1').on('data', (text: string) => {
            requests.push(text);
            if (isFirst) socket.write(head('HTTP/1.1 204 No Content'));
            else socket.destroy();
            isFirst = false;
          });
        });
      const upstream = receivers === 1 ? await listen() : ([await listen(), await listen()] as const);
      const port = await startNginx(nginx!, upstream, { buffering });
      const send = async (): Promise<number> => statusOf(await request(port, message(method, [RIGHT])));

      for (let each = 0; each < receivers; each += 1) expect(await send()).toBe(204);
      expect(await send()).toBe(502);

      expect(requests).toHaveLength(receivers + 1);
    },
  );

  test.each(FILES)('$file: each method that the receiver accepts is passed on', async ({ upstream }) => {
    const answered = (method: string): Environment => ({
      ...preloading(new URL('../support/answered.mjs', import.meta.url).href),
      EXAMPLES: JSON.stringify({ 'http-method': method }),
    });
    for (const { settings, want } of [
      { settings: {}, want: ['PATCH', 'POST', 'PUT'] },
      { settings: answered('PUT'), want: ['PUT'] },
      { settings: answered('POST'), want: ['POST'] },
    ]) {
      const receiver = await startReceiver({ settings });
      const proxied = await startNginx(nginx!, upstream(receiver.port));
      const accepted = async (port: number): Promise<string[]> => {
        const statuses = METHODS.map(async (method) => {
          const response = await request(port, message(POST.replace('POST', method), [RIGHT]));
          return statusOf(response) === 204 ? [method] : [];
        });
        return (await Promise.all(statuses)).flat();
      };

      expect(await accepted(receiver.port)).toEqual(want);
      expect(await accepted(proxied)).toEqual(want);
    }
  });

  test('a request for another path does not reach the receiver', async () => {
    const counted = await countConnections(await freePort());
    const port = await startNginx(nginx!, counted.port);

    expect(statusOf(await request(port, message('POST /other HTTP/1.1', [RIGHT], ARBITRARY)))).toBe(404);
    expect(counted.connections()).toBe(0);
  });

  test('an operator who signed in acts under that name; a foreign page cannot act', async () => {
    const receiver = await startReceiver({ settings: { OPERATOR_HEADER: 'X-Forwarded-User' } });
    const { operations } = await receiver.process.logged('listening');
    const base = `http://127.0.0.1:${await startNginxOfInspector(nginx!, operations as string)}`;
    const ask = (path: string, headers: Record<string, string> = {}, body?: string): Promise<Response> =>
      fetch(`${base}${path}`, {
        headers: {
          authorization: `Basic ${btoa('maria:m')}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined ? {} : { method: 'POST', body }),
      });

    const pause = '{"operator":"somebody else"}';
    const foreign = await ask('/handler/pause', { origin: 'https://strangers.example' }, pause);
    const own = await ask('/handler/pause', { origin: 'https://inspector.example' }, pause);
    const { acts } = (await (await ask('/acts')).json()) as { acts: readonly object[] };
    expect([(await fetch(`${base}/acts`)).status, foreign.status, own.status]).toEqual([401, 403, 204]);
    expect(acts).toEqual([expect.objectContaining({ kind: 'pause', operator: 'maria' })]);
  });
});

/** What can be wrong with deliveries: other responses than 204, acknowledged but not stored, stored twice. */
const NO_FAULTS = { statuses: [] as readonly number[], missing: 0, storedTwice: 0 };

/** Sends all the time, on a connection for each delivery. */
class Load {
  readonly #statuses = new Map<string, number>();
  readonly #senders: readonly Promise<void>[];
  #goesOn = true;

  constructor(
    private readonly port: number,
    private readonly method: string,
  ) {
    this.#senders = Array.from({ length: 6 }, () => this.#send());
  }

  /** Waits until 100 more deliveries have a response with this status. */
  async untilMore(status = 204): Promise<void> {
    const enough = contentsWith(this.#statuses, status).length + 100;
    while (contentsWith(this.#statuses, status).length < enough) await soon();
  }

  async end(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#senders);
  }

  /** Compares the responses with what is stored. */
  faults(stored: readonly string[]): typeof NO_FAULTS {
    const unique = new Set(stored);
    return {
      statuses: [...this.#statuses.values()].filter((status) => status !== 204),
      missing: contentsWith(this.#statuses, 204).filter((content) => !unique.has(content)).length,
      storedTwice: stored.length - unique.size,
    };
  }

  async #send(): Promise<void> {
    while (this.#goesOn) {
      const content = randomBytes(100).toString('hex');
      const response = await request(this.port, message(this.method, [RIGHT], content));
      this.#statuses.set(content, statusOf(response));
    }
  }
}

function contentsOf(inbox: string): string[] {
  return readInbox(inbox).map(({ content }) => content.toString('latin1'));
}

/** Sends one request on a connection of its own. */
async function request(port: number, given: string): Promise<RawResponse> {
  const connection = await openConnection(port);
  try {
    connection.write(given);
    return await connection.response();
  } finally {
    connection.destroy();
  }
}

function statusOf({ line }: RawResponse): number {
  return Number(line.split(' ')[1]);
}

/** What nginx passes on unchanged: all but the time, and the fields of the connection and of the server. */
function passedOn({ line, fields, content }: RawResponse): RawResponse {
  const ownOfEach = /^(date|connection|server):/i;
  const others = fields.map((field) => field.toLowerCase()).filter((field) => !ownOfEach.test(field));
  return { line, fields: others.sort(), content };
}

/** Content with one character per byte. */
function arbitrary(bytes: number): string {
  return randomBytes(bytes).toString('latin1');
}

function contentsWith(statuses: ReadonlyMap<string, number>, status: number): string[] {
  return [...statuses].filter(([, each]) => each === status).map(([content]) => content);
}

/** Listens in front of a port, and counts the connections. */
async function countConnections(target: number): Promise<{ port: number; connections: () => number }> {
  let count = 0;
  const port = await listenUntilTheTestEnds((socket) => {
    count += 1;
    const onward = connect(target, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    afterThisTest(() => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  return { port, connections: () => count };
}

/** @returns the port */
async function listenUntilTheTestEnds(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    afterThisTest(() => socket.destroy());
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => server.close());
  return (server.address() as AddressInfo).port;
}
