import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket, connect } from 'node:net';
import { createServer as createTlsServer, Server as TlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterThisTest } from '@plant-store/test-support';
import { isExempt, proxyOf } from '../src/send/proxy-environment.js';
import { fixture, loopbackTls, startTlsReceiver } from './support/receiver.js';
import { accessToken, file, type Finished, required, run, start } from './support/run.js';

/** Listens on a free loopback port, and returns it. */
async function listen(server: Server): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterThisTest(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** What a proxy does with what it is asked for. */
type Answer = (client: Socket, head: string) => void;

/** A proxy that keeps the heads of its requests. */
async function startProxy(
  answer: Answer,
  server: Server = createServer(),
): Promise<{ readonly host: string; readonly heads: string[] }> {
  const heads: string[] = [];
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (client: Socket) =>
    client.once('data', (head) => {
      heads.push(head.toString());
      answer(client, head.toString());
    }),
  );
  return { host: `127.0.0.1:${await listen(server)}`, heads };
}

/** Responds to CONNECT. */
const respond =
  (text: string): Answer =>
  (client) =>
    client.end(text);

/** Makes the connection that it is asked for. */
const makeTunnel: Answer = (client, head) => {
  const [, host, port] = /^CONNECT ([^:]+):(\d+) /.exec(head)!;
  const receiver = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    client.pipe(receiver).pipe(client);
  });
  receiver.on('error', () => client.destroy());
  client.on('close', () => receiver.destroy());
};

const user = 'us%40er:p%3ass';
const authorization = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`;

/** Sends a plant to a receiver through what the environment names. */
async function send(
  url: string,
  environment: NodeJS.ProcessEnv,
  { more = [], signal }: { more?: string[]; signal?: AbortSignal } = {},
): Promise<Finished> {
  const args = ['send', file('{}'), '--ca', fixture('loopback.crt'), ...required(url), ...more];
  const situation = { environment: { ACCESS_TOKEN: accessToken, ...environment }, ...(signal && { signal }) };
  const finished = await run(args, situation);
  for (const secret of [user, 'p:ss', authorization]) expect(finished.stderr).not.toContain(secret);
  return finished;
}

describe('a tunnel to a receiver with https', () => {
  test('is asked for with user and password, which the receiver does not get', async () => {
    const receiver = await startTlsReceiver();
    const { host, heads } = await startProxy(makeTunnel);

    const finished = await send(receiver.url, { https_proxy: `http://${user}@${host}` });

    expect(finished).toMatchObject({ code: 0, stderr: '' });
    const target = receiver.url.slice('https://'.length);
    const fields = `host: ${target}\r\nconnection: keep-alive\r\nproxy-authorization: ${authorization}`;
    expect(heads).toEqual([`CONNECT ${target} HTTP/1.1\r\n${fields}\r\n\r\n`]);
    expect(receiver.requests[0]!.headers).not.toHaveProperty('proxy-authorization');
  });

  const https = 'https://127.0.0.1:9';

  test.each([
    [
      'has a name that is not found',
      'http://us:s3cret@proxy.invalid:1',
      /out of reach: [a-z ]+ \(proxy\.invalid\)\. Is it running/,
    ],
    [
      'is down',
      'http://us:s3cret@127.0.0.1:9',
      /out of reach: connection refused \(127\.0\.0\.1:9\)\. Is it running there\?/,
    ],
  ])('a proxy that %s is named, without its password', async (_, https_proxy, message) => {
    const { code, stderr } = await send(https, { https_proxy });

    expect(code).toBe(3);
    expect(stderr).toContain(`not sent: Could not connect to ${https} through the proxy http://`);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/Check https_proxy\. It is safe to send again\.\n$/);
    expect(stderr).not.toContain('s3cret');
  });

  test.each<[string, string, string]>([
    [
      '403',
      'it responded with 403. Ask who runs it, or name the host in no_proxy.',
      'HTTP/1.1 403 x\r\n\r\n',
    ],
    ['407', 'it responded with 407. Check the user and password in https_proxy.', 'HTTP/1.1 407 x\r\n\r\n'],
    [
      '502',
      'it responded with 502. Is the receiver running there? Check --base-url.',
      'HTTP/1.1 502 x\r\n\r\n',
    ],
    [
      'another protocol',
      'no response to CONNECT: what was received is not HTTP/1.1. Is it an HTTP proxy?',
      `${user}\r\n`,
    ],
    [
      'half a response',
      'no response to CONNECT: connection reset by peer. Is it an HTTP proxy?',
      'HTTP/1.1 200 O',
    ],
    ['an end', 'no response to CONNECT: connection reset by peer. Is it an HTTP proxy?', ''],
  ])('a proxy that responds to CONNECT with %s', async (_, message, response) => {
    const { host } = await startProxy(respond(response));

    const { code, stderr } = await send(https, { https_proxy: `http://${user}@${host}` });

    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(`through the proxy http://${host}: ${message}`),
    ]);
  });

  test('a proxy whose certificate is not trusted by Node; --ca is for the receiver', async () => {
    const port = await listen(createTlsServer(loopbackTls));

    const { code, stderr } = await send(https, { https_proxy: `https://127.0.0.1:${port}` });

    expect([code, stderr]).toEqual([3, expect.stringContaining('no TLS with it: self-signed certificate')]);
    expect(stderr).toContain('Check https_proxy and NODE_EXTRA_CA_CERTS.');
  });

  test('a proxy with TLS that Node trusts', async () => {
    const { host } = await startProxy(makeTunnel, createTlsServer(loopbackTls));
    const receiver = await startTlsReceiver();

    const args = ['send', file('{}'), ...required(receiver.url)];
    const trusted = { NODE_EXTRA_CA_CERTS: fixture('loopback.crt') };
    const { code, stderr } = await start(args, { https_proxy: `https://${host}`, ...trusted }).finished;

    expect([code, stderr]).toEqual([0, '']);
  });

  test('a proxy of plain HTTP that is called https', async () => {
    const { host } = await startProxy(respond('HTTP/1.1 400 Bad Request\r\n\r\n'));

    const { stderr } = await send(https, { https_proxy: `https://${host}` });

    expect(stderr).toContain(`through the proxy https://${host}: no TLS with it: wrong version number. `);
  });

  const silent: Answer = () => {};
  const connected: Answer = (client) => client.write('HTTP/1.1 200 OK\r\n\r\n');

  test.each([
    ['its own TLS', 'https', silent, 'no TLS with it'],
    ['CONNECT', 'http', silent, 'no response to CONNECT'],
    ['the TLS of the receiver', 'http', connected, 'no TLS with the receiver'],
  ])('a proxy that is silent at %s is given up, and the command ends', async (_, scheme, answer, problem) => {
    const { host } = await startProxy(answer);

    const more = ['--connect-timeout', '100'];
    const { code, stderr } = await send(https, { https_proxy: `${scheme}://${host}` }, { more });

    expect(code).toBe(3);
    expect(stderr).toContain(`the proxy ${scheme}://${host}: ${problem} within 100 ms (--connect-timeout). `);
  });

  test('a silent proxy does not hold a command that is interrupted', async () => {
    const controller = new AbortController();
    const { host } = await startProxy(() => controller.abort());

    const { signal } = controller;
    const { code, stderr } = await send(https, { https_proxy: `http://${host}` }, { signal });

    expect([code, stderr]).toEqual([3, expect.stringContaining('not sent: ')]);
  });

  test('faults of the receiver are those without a proxy', async () => {
    const { url } = await startTlsReceiver();
    const { host } = await startProxy(makeTunnel);
    const args = ['send', file('{}'), ...required(url)];

    const { code, stderr } = await run(args, {
      environment: { ACCESS_TOKEN: accessToken, https_proxy: `http://${host}` },
    });

    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('the certificate of the receiver is not from'),
    ]);
  });
});

describe('after the request was sent', () => {
  test.each<[string, string, number, string]>([
    ['before the first byte', '', 4, 'outcome unknown: '],
    ['within the head', 'HTTP/1.1 204', 4, 'outcome unknown: '],
    ['within the content, which changes nothing', 'HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\nhalf', 0, ''],
    ['after it', 'HTTP/1.1 204 x\r\n\r\n', 0, ''],
  ])('a proxy closes %s', async (_, response, code, stderr) => {
    const receiver = await listen(
      createTlsServer(loopbackTls, (socket) => socket.once('data', () => socket.end(response))),
    );
    const [tunnels, forwards] = [await startProxy(makeTunnel), await startProxy(respond(response))];

    for (const finished of [
      await send(`https://127.0.0.1:${receiver}`, { https_proxy: `http://${tunnels.host}` }),
      await send('http://127.0.0.1:9', { http_proxy: `http://${forwards.host}` }),
    ]) {
      expect(finished).toMatchObject({ code, stderr: expect.stringContaining(stderr) as string });
    }
  });
});

describe('a receiver with plain http', () => {
  test('gets its request through the proxy, without a tunnel', async () => {
    const { host, heads } = await startProxy(respond('HTTP/1.1 204 x\r\n\r\n'));

    const { code } = await send('http://127.0.0.1:9', { http_proxy: `${user}@${host}` });

    expect(code).toBe(0);
    const [line, ...fields] = heads[0]!.toLowerCase().split('\r\n');
    expect(line).toBe('post http://127.0.0.1:9/plant/webhook http/1.1');
    expect(fields.filter((field) => field.startsWith('host:'))).toEqual(['host: 127.0.0.1:9']);
    expect(fields).toContain(`authorization: bearer ${accessToken}`);
    expect(heads[0]).toContain(`proxy-authorization: ${authorization}`);
  });

  test.each([
    [407, 1, 'The proxy refused the delivery. Check its user and password.'],
    [502, 4, 'outcome unknown: '],
    [504, 4, 'outcome unknown: '],
  ])('a proxy that responds with %i', async (status, code, message) => {
    const { host } = await startProxy(respond(`HTTP/1.1 ${status} x\r\nContent-Length: 0\r\n\r\n`));

    const finished = await send('http://127.0.0.1:9', { http_proxy: `http://${host}` });

    expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test('a proxy that is down', async () => {
    const { code, stderr } = await send('http://127.0.0.1:8', { http_proxy: 'http://127.0.0.1:9' });

    expect(code).toBe(3);
    expect(stderr).toContain('through the proxy http://127.0.0.1:9: it is out of reach: connection refused');
  });

  test('a proxy of another machine does not get the token of a receiver on this one', async () => {
    const { code, stderr } = await send('http://127.0.0.1:9', { http_proxy: 'http://proxy.invalid:1' });

    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('The proxy of http_proxy would get the access token'),
    ]);
  });
});

/** Which proxy the environment names, and what its port is, as with curl. */
describe('the environment', () => {
  test.each<[string, NodeJS.ProcessEnv, string]>([
    ['https', { HTTPS_PROXY: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1'],
    ['https', { https_proxy: '', HTTPS_PROXY: '127.0.0.1:1' }, 'http://127.0.0.1:1'],
    [
      'https',
      { https_proxy: '127.0.0.1:2', HTTPS_PROXY: '127.0.0.1:1', all_proxy: '127.0.0.1:3' },
      'http://127.0.0.1:2',
    ],
    ['https', { all_proxy: 'http://127.0.0.1:3' }, 'http://127.0.0.1:3'],
    ['https', { ALL_PROXY: 'HTTP://127.0.0.1:3/' }, 'http://127.0.0.1:3'],
    ['https', { https_proxy: 'http://127.0.0.1' }, 'http://127.0.0.1:1080'],
    ['https', { https_proxy: 'http://u:80@127.0.0.1:80' }, 'http://127.0.0.1:80'],
    ['https', { https_proxy: 'https://127.0.0.1' }, 'https://127.0.0.1:443'],
    ['https', { https_proxy: 'http://[::1]' }, 'http://[::1]:1080'],
    ['https', { http_proxy: '127.0.0.1:1' }, ''],
    ['http', { http_proxy: '127.0.0.1:1' }, 'http://127.0.0.1:1'],
    ['http', { HTTP_PROXY: '127.0.0.1:1' }, ''],
    ['http', { https_proxy: '127.0.0.1:1' }, ''],
    ['http', { http_proxy: '127.0.0.1:1', NO_PROXY: '127.0.0.1' }, ''],
    ['http', { http_proxy: '127.0.0.1:1', no_proxy: '', NO_PROXY: '127.0.0.1' }, ''],
    ['http', { http_proxy: '127.0.0.1:1', no_proxy: 'other', NO_PROXY: '127.0.0.1' }, 'http://127.0.0.1:1'],
    ['http', { http_proxy: 'socks5://127.0.0.1:1', no_proxy: '*' }, ''],
  ])('%s with %j', (scheme, environment, url) => {
    const found = proxyOf(new URL(`${scheme}://127.0.0.1:9`), environment);

    expect(found?.url ?? '').toBe(url);
    if (found) expect(url).toBe(`${url.split(':')[0]}://${found.hostname}:${found.port}`);
  });

  test.each(['socks5://127.0.0.1:1', 'http://', 'http://s3cret@:1', 'http://s3cret:x@a b', 'ftp://s3cret'])(
    'a proxy must be a URL of HTTP: %s',
    async (all_proxy) => {
      const { code, stderr } = await send('https://127.0.0.1:9', { all_proxy });

      expect([code, stderr]).toEqual([
        2,
        'plant-store: all_proxy must be the URL of an HTTP proxy, such as http://host:3128.\n',
      ]);
    },
  );
});

/** Whether curl 7.88.1 uses the proxy for a host. */
const table: readonly (readonly [host: string, noProxy: string, way: 'proxy' | 'direct'])[] = [
  ['receiver.example', '', 'proxy'],
  ['receiver.example', 'receiver.example', 'direct'],
  ['receiver.example', 'RECEIVER.Example', 'direct'],
  ['RECEIVER.example', 'receiver.example', 'direct'],
  ['a.receiver.example', 'receiver.example', 'direct'],
  ['areceiver.example', 'receiver.example', 'proxy'],
  ['receiver.example', 'a.receiver.example', 'proxy'],
  ['receiver.example', 'example', 'direct'],
  ['a.receiver.example', '.receiver.example', 'direct'],
  ['receiver.example', '.receiver.example', 'direct'],
  ['receiver.example', '..receiver.example', 'proxy'],
  ['receiver.example', '.', 'proxy'],
  ['receiver.example.', 'receiver.example', 'direct'],
  ['receiver.example', 'receiver.example.', 'direct'],
  ['receiver.example', 'receiver.example..', 'proxy'],
  ['receiver.example', '*', 'direct'],
  ['[2001:db8::1]', '*', 'direct'],
  ['receiver.example', ' *', 'proxy'],
  ['receiver.example', 'a,*', 'proxy'],
  ['receiver.example', '*.example', 'proxy'],
  ['receiver.example:8080', 'receiver.example', 'direct'],
  ['receiver.example:8080', 'receiver.example:8080', 'proxy'],
  ['receiver.example', 'a, receiver.example', 'direct'],
  ['receiver.example', 'a receiver.example', 'direct'],
  ['receiver.example', ' \ta ,,\treceiver.example ', 'direct'],
  ['receiver.example', 'a;receiver.example', 'proxy'],
  ['receiver.example', 'a,\nreceiver.example', 'proxy'],
  ['xn--bcher-kva.example', 'bücher.example', 'proxy'],
  ['localhost', '127.0.0.1', 'proxy'],
  ['127.0.0.1', 'localhost', 'proxy'],
  ['10.1.2.3', '10.1.2.3', 'direct'],
  ['0xa.1.2.3', '10.1.2.3', 'direct'],
  ['10.1.2.3', '10.1.2.3.', 'proxy'],
  ['10.1.2.3', '.10.1.2.3', 'proxy'],
  ['10.1.2.3', '2.3', 'proxy'],
  ['10.1.2.3', '10.', 'proxy'],
  ['10.1.2.3', '10.*', 'proxy'],
  ['10.1.2.3', '10.0.0.0', 'proxy'],
  ['10.1.2.3', '10.0.0.0/8', 'direct'],
  ['10.1.2.3', '10.9.9.9/8', 'direct'],
  ['11.1.2.3', '10.0.0.0/8', 'proxy'],
  ['10.1.2.3', '10.1.2.2/31', 'direct'],
  ['10.1.2.3', '10.1.2.3/32', 'direct'],
  ['10.1.2.3', '10.1.2.3/33', 'proxy'],
  ['10.1.2.3', '0.0.0.0/0', 'proxy'],
  ['10.1.2.3', '10.1.2.3/0', 'direct'],
  ['10.1.2.3', '10.1.2.3/x', 'direct'],
  ['10.1.2.3', '10.0.0.0/8x', 'direct'],
  ['10.1.2.3', '10.0.0.0/-8', 'proxy'],
  ['10.1.2.3', '10.1/16', 'proxy'],
  ['10.1.2.3', '::ffff:10.1.2.3', 'proxy'],
  ['10.1.2.3:8080', '10.0.0.0/8', 'direct'],
  ['10.1.2.3:8080', '10.1.2.3:8080', 'proxy'],
  ['[2001:db8::1]', '2001:db8::1', 'direct'],
  ['[2001:db8::1]', '[2001:db8::1]', 'proxy'],
  ['[2001:db8::1]', '[2001:db8::]/32', 'proxy'],
  ['[2001:db8::1]', '2001:db9::/32', 'proxy'],
  ['[2001:db8::1]', '2001:db8::1%1/64', 'proxy'],
  ['[2001:db8::1]', '2001:db8::1/129', 'proxy'],
  ['[::ffff:10.1.2.3]', '10.0.0.0/8', 'proxy'],
  ['[::1]', 'localhost', 'proxy'],
];

test.each([
  ...table,
  // curl 7.88 compares IPv6 as text, though its manual has these.
  ['[2001:db8::1]', '2001:db8:0::1', 'direct'],
  ['[2001:db8::1]', '2001:db8::/32', 'direct'],
] as const)('http://%s with no_proxy %j: %s', (host, noProxy, way) => {
  expect(isExempt(new URL(`http://${host}`).hostname, noProxy)).toBe(way === 'direct');
});

const execute = promisify(execFile);
const version = await execute('curl', ['--version']).then(
  ({ stdout }) => /^curl (\S+)/.exec(stdout)?.[1],
  () => undefined,
);

(version === '7.88.1' ? test : test.skip)('the table is what curl 7.88.1 does', async () => {
  const { host: proxy } = await startProxy(respond('HTTP/1.1 403 x\r\n\r\n'));
  const { host: target } = await startProxy(respond('HTTP/1.1 204 x\r\n\r\n'));
  const found = table.map(async ([host, no_proxy]) => {
    const args = ['-qsg', '-w', '%{response_code}', '--connect-to', `::${target}`, `http://${host}`];
    const env = { PATH: process.env['PATH'], http_proxy: proxy, no_proxy };
    const { stdout } = await execute('curl', args, { env }).catch(
      (error: unknown) => error as { stdout: string },
    );
    return [host, no_proxy, stdout === '204' ? 'direct' : 'proxy'];
  });

  expect(await Promise.all(found)).toEqual(table);
});
