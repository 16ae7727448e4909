import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isExecutable, openQuestions } from '@plant-store/contract';
import { wire } from '../support/wire.js';
import { afterThisFile, afterThisTest, makeFolder } from '@plant-store/test-support';

import { openConnection } from '../support/connection.js';
import { lockInbox } from '../support/inbox.js';
import { CHUNKED, delivery, head, HOST, message, POST, RIGHT } from '../support/messages.js';
import { type Environment, TestProcess } from '../support/process.js';
import { everythingOpen, preloading, type RunningReceiver, startReceiver } from '../support/receiver.js';
import {
  acknowledged,
  elsewhere,
  malformedMessage,
  unauthenticated,
  withoutContent,
  wrongMethod,
} from '../support/requests.js';
import { openSender } from '../support/sender.js';
import {
  type GivenAnswers,
  messagesIn,
  type Recorded,
  recordConnections,
  WireRecord,
} from '../support/wire-record.js';

const record = new WireRecord();

afterEach(() => {
  const unmapped = [...record.unmapped];
  record.unmapped.clear();
  expect(unmapped).toEqual([]);
});

const TOKEN = 'example-arbitrary';
const SIGNING_KEY = `whsec_${Buffer.from('an arbitrary key of 32 bytes, ok').toString('base64')}`;
const PLANT = '{"name":"Fern"}';
const EVENT = `{"addedOn":"2026-01-31","plant":${PLANT}}`;

/** An example answer to each question that the software carries out. */
const EXAMPLES = Object.fromEntries(
  openQuestions.filter(({ id }) => isExecutable(id)).map(({ id }) => [id, true]),
);

/** Answers of other forms. The status has no name that Node.js knows. */
const OTHERS = {
  'http-method': 'PUT',
  'media-type': true,
  payload: true,
  'plant-fields': true,
  'receiver-response': { status: 202, description: 'Taken.' },
  'status-codes': { 'content-malformed': { status: 499, description: 'Not JSON.' } },
  'request-versioning': { pathPrefix: '/v1' },
};

/** Environment variables of a process with these answers. */
const answering = (given: GivenAnswers): Environment => ({
  ...preloading(new URL('../support/answered.mjs', import.meta.url).href),
  EXAMPLES: JSON.stringify(given),
});

/** The answers of a process, as the catalogue looks them up. */
async function answersOf(given: GivenAnswers): Promise<GivenAnswers> {
  const { exampleAnswers } = await import('@plant-store/example-answers');
  const examples = exampleAnswers as GivenAnswers;
  return Object.fromEntries(
    Object.entries(given).map(([id, value]) => [id, value === true ? examples[id] : value]),
  );
}

/** Sends a request and ends its side. Maps it, and everything that comes. */
async function exchange(place: number, sent: string, given?: GivenAnswers): Promise<void> {
  const connection = await openConnection(place, { allowHalfOpen: true });
  connection.write(sent);
  connection.end();
  record.exchange('deliveries', sent, await connection.everything(), given);
  connection.destroy();
}

/** Runs the built command. */
async function runCommand(environment: Environment, ...args: readonly string[]): Promise<TestProcess> {
  const bin = fileURLToPath(new URL('../../../libs/cli/bin/plant-store.js', import.meta.url));
  const command = new TestProcess([process.execPath, bin, ...args], {
    environment: { ACCESS_TOKEN: TOKEN, ...everythingOpen, ...environment },
  });
  afterThisTest(() => command.kill());
  await command.exit;
  return command;
}

/** A file with this content. */
function file(content: string): string {
  const path = join(makeFolder(), 'content');
  writeFileSync(path, content);
  return path;
}

/** Maps what a sender sent over its connections, and what it read. */
function mapSender({ connections }: Recorded, given?: GivenAnswers): void {
  for (const { sent, received } of connections) {
    const requests = messagesIn(sent);
    record.map('senderSent', requests, given);
    record.map('senderRead', messagesIn(received, requests), given);
  }
}

describe('deliveries, with everything open', () => {
  let receiver: RunningReceiver;

  beforeAll(async () => {
    const settings = {
      MAX_CONTENT_BYTES: '1000',
      MAX_CONTENT_BYTES_IN_FLIGHT: '1000',
      REQUEST_TIMEOUT_MS: '2000',
    };
    receiver = await startReceiver({ settings, cleanUp: afterThisFile });
  });

  test.each([
    { what: 'acknowledged', rows: acknowledged },
    { what: 'without the right token', rows: unauthenticated },
    { what: 'without content', rows: withoutContent },
    { what: 'with another method', rows: wrongMethod },
    { what: 'to another path', rows: elsewhere },
    { what: 'malformed', rows: malformedMessage },
  ])('$what', async ({ rows }) => {
    for (const { given } of rows) await exchange(receiver.port, given);
  });

  test('beyond a limit', async () => {
    const connection = await openConnection(receiver.port);
    const slow = head(POST, HOST, RIGHT, 'Content-Length: 1000') + 'a'.repeat(600);
    connection.write(slow);
    await exchange(receiver.port, head(POST, HOST));
    await exchange(receiver.port, delivery('a'.repeat(600)));
    await exchange(receiver.port, delivery('a'.repeat(1_001)));
    record.exchange('deliveries', slow, await connection.everything());
  });

  test('that expects to be told to go on', async () => {
    const connection = await openConnection(receiver.port);
    const sent = head(POST, HOST, RIGHT, 'Expect: 100-continue', 'Connection: close', 'Content-Length: 1');
    connection.write(sent);
    const { line } = await connection.response();
    connection.write('a');
    record.exchange('deliveries', `${sent}a`, `${line}\r\n\r\n${await connection.everything()}`);
  });
});

test('deliveries that fail by a fault of the receiver', async () => {
  const given = { payload: true, 'media-type': true, 'plant-fields': 'throws' };
  const { port } = await startReceiver({ settings: answering(given) });

  await exchange(
    port,
    message(POST, [RIGHT, 'Content-Type: application/json'], EVENT),
    await answersOf(given),
  );
});

describe.each([
  {
    name: 'every example answer',
    given: EXAMPLES,
    args: ['--event-id', 'one', '--content-type', 'application/json'],
  },
  { name: 'other answers', given: OTHERS, args: [] },
])('with $name', ({ given, args }) => {
  test('the command delivers, and what differs is refused', async () => {
    const answers = await answersOf(given);
    const signing = 'signing' in given && { SIGNING_KEYS: SIGNING_KEY };
    const environment = answering(given);
    const receiver = await startReceiver({ settings: { ...environment, ACCESS_TOKENS: TOKEN, ...signing } });
    const recorded = await recordConnections(receiver.port);
    const secrets = signing && { PLANT_STORE_SIGNING_KEY: SIGNING_KEY };
    const send = (content: string): Promise<TestProcess> =>
      runCommand({ ...environment, ...secrets }, 'send', file(content), '--base-url', recorded.url, ...args);
    const outputs = [await send(EVENT), await send('{"addedOn":"2026-01-31","plant":{}}'), await send('{')];

    mapSender(recorded, answers);
    for (const { sent, received } of recorded.connections)
      record.exchange('deliveries', sent, received, answers);
    const [first] = recorded.connections;
    if (first === undefined) throw new Error(outputs.map(({ output }) => output).join('\n'));
    const vary = (from: RegExp, to: string): Promise<void> =>
      exchange(receiver.port, first.sent.replace(from, to), answers);
    await vary(/^authorization: .*\r\n/m, '');
    await vary(/^authorization: .*$/m, 'authorization: Bearer wrong');
    await vary(/^authorization: .*$/m, 'authorization: Bearer');
    await vary(/^PUT/, 'GET');
    await vary(/application\/json/, 'text/plain');
    await vary(/^content-type/m, 'content-encoding: gzip\r\ncontent-type');
    await vary(/^webhook-id: .*\r\n/m, '');
    await vary(/^(webhook-signature: ).*$/m, '$1wrong');
    await vary(/^(plant-store-version: ).*$/m, '$12');
    await vary(/^(content-length: )(.|\r\n)*$/m, `$12000\r\n\r\n${'a'.repeat(2_000)}`);
    for (let count = 0; count < 20; count += 1) await vary(/^/, '');
  });
});

test('the sender with everything open, whatever it reads', async () => {
  const recorded = await recordConnections([
    'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No Content\r\nKeep-Alive: timeout=9\r\nX: a\r\n\r\n',
    'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
  ]);
  const sender = openSender({ origin: `${recorded.url}/path` });
  const sending = [{}, { headers: { 'x-own': '1' } }, {}].map(
    (options) => () => sender.send('arbitrary', options),
  );

  for (const send of sending) await send().catch(() => undefined);

  mapSender(recorded);
});

test('the sender on a connection that is old', async () => {
  const recorded = await recordConnections(['HTTP/1.1 204 No Content\r\n\r\n']);
  const sender = openSender({ origin: recorded.url, maxConnectionAge: 1 });

  while (recorded.connections.length < 3) await sender.send('arbitrary');

  mapSender(recorded);
});

describe('the command through a proxy', () => {
  const OPEN = ['--method', 'POST', '--content-type', 'text/plain'];
  const proxy = ({ port }: Recorded): string => `http://user:password@127.0.0.1:${port}`;

  test('to a receiver without TLS', async () => {
    const recorded = await recordConnections(['HTTP/1.1 204 No Content\r\n\r\n']);
    const environment = { http_proxy: proxy(recorded) };
    await runCommand(environment, 'send', file('a'), '--base-url', 'http://127.0.0.2:9', ...OPEN);

    expect(recorded.connections).toHaveLength(1);
    mapSender(recorded);
  });

  test('to a receiver with TLS', async () => {
    const recorded = await recordConnections(['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n']);
    const environment = { https_proxy: proxy(recorded) };
    await runCommand(environment, 'send', file('a'), '--base-url', 'https://receiver.example', ...OPEN);

    expect(recorded.connections).toHaveLength(1);
    for (const { sent } of recorded.connections) record.map('proxyAsked', messagesIn(sent));
  });
});

test('a delivery that is forwarded', async () => {
  const service = await recordConnections(['HTTP/1.1 204 No Content\r\n\r\n']);
  const receiver = await startReceiver({ settings: { HANDLER: `${service.url}/plants` } });

  await exchange(receiver.port, message(POST, [RIGHT, 'Content-Type: text/plain', 'X-Own: a']));
  await service.responded;

  for (const { sent } of service.connections) record.map('forwarded', messagesIn(sent));
});

describe('the operations listener', () => {
  /** Content that can't be shown. */
  const DEFECT = 'a defect';
  const DEFECTIVE = `data:text/javascript,${encodeURIComponent(
    `const { toString } = Buffer.prototype;
    Buffer.prototype.toString = function (coding, ...rest) {
      if (coding === 'base64' && toString.call(this) === '${DEFECT}') throw new Error('arbitrary');
      return toString.call(this, coding, ...rest);
    };`,
  )}`;
  let inbox: string;
  let port: number;
  let own: string;

  beforeAll(async () => {
    const receiver = await startReceiver({ settings: preloading(DEFECTIVE), cleanUp: afterThisFile });
    const { operations } = receiver.process.entries('listening')[0]!;
    port = Number(new URL(operations as string).port);
    own = `Host: 127.0.0.1:${port}`;
    inbox = receiver.inbox;
    for (const content of ['arbitrary', DEFECT]) await exchange(receiver.port, delivery(content));
  });

  /** Sends requests, and maps what comes. */
  async function ask(...requests: readonly string[]): Promise<void> {
    for (const sent of requests) {
      const connection = await openConnection(port);
      connection.write(sent);
      record.exchange('operations', sent, await connection.everything());
    }
  }
  const get = (path: string, ...fields: readonly string[]): string =>
    head(`GET ${path} HTTP/1.1`, own, 'Connection: close', ...fields);
  const post = (path: string, content: string, ...fields: readonly string[]): string =>
    head(`POST ${path} HTTP/1.1`, own, 'Connection: close', ...fields, `Content-Length: ${content.length}`) +
    content;
  const JSON_TYPE = 'Content-Type: application/json';
  const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';

  test('serves pages and data', async () => {
    const paths = ['/', '/openapi.json', '/inspector.svg', '/acts', '/livez', '/stats', '/errors'];
    await ask(
      ...[...paths, '/deliveries/1', '/deliveries/1/content', '/deliveries/9', '/metrics'].flatMap((path) => [
        get(path),
        get(path).replace('GET', 'HEAD'),
      ]),
      get('/inspector.js', 'If-None-Match: *'),
      get('/', 'Accept-Encoding: gzip'),
      post('/', 'kind=pause&operator=ada', FORM_TYPE, 'Sec-Fetch-Site: same-origin'),
      head('GET /livez HTTP/1.0'),
      post('/handler/pause', '{}', JSON_TYPE),
      post('/handler/resume', '{}', JSON_TYPE, 'Expect: 100-continue'),
      post('/acts', '{"kind":"replay","filter":{}}', JSON_TYPE),
    );
  });

  test('refuses', async () => {
    await ask(
      get('/stats').replace(own, 'Host: evil.example'),
      get('/stats', 'Origin: https://evil.example'),
      get('/stats', 'Sec-Fetch-Site: cross-site'),
      get('/none'),
      get('/none', 'Accept: text/html'),
      get('/deliveries/2'),
      get('/%zz'),
      get('/stats?a=b'),
      get('/stats', 'Expect: arbitrary'),
      get('/stats').replace('GET', 'DELETE'),
      get('/handler/pause'),
      get('/deliveries/1', CHUNKED),
      post('/stats', '{}', JSON_TYPE),
      post('/handler/pause', '{', JSON_TYPE),
      post('/handler/pause', '{}', 'Content-Type: text/plain'),
      post('/handler/pause', ' '.repeat(70_000), JSON_TYPE),
    );
  });

  test('says what is wrong with a message', async () => {
    // Others would stay open.
    const closing = malformedMessage.filter(
      ({ given }) => !/^POST .*\r\n.*Content-Length: \d+\r\n/s.test(given),
    );
    await ask(
      get('/').replace('1.1', '2.0'),
      get('/', `A: ${'a'.repeat(20_000)}`),
      ...closing.map(({ given }) => given),
    );
  });

  test('ends a request that does not end', () => ask('GET / HTTP/1.1\r\n'));

  test('says that the inbox cannot be written', async () => {
    const unlock = lockInbox(inbox);
    await ask(get('/readyz'), post('/handler/pause', '{}', JSON_TYPE));
    unlock();
  });
});

test('every line of the catalogue was seen', () => {
  expect(record.neverSeen()).toEqual([]);
});

test('the questions and settings that the catalogue cites exist', () => {
  const page = readFileSync(new URL('../../../docs/reference/settings.md', import.meta.url), 'utf8');
  const settings = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, name]) => `setting ${name}`);
  const cited = Object.values(wire).flatMap((items) => items.flatMap(([, basis]) => basis));
  const known = new Set<string>([...openQuestions.map(({ id }) => id), ...settings]);

  const others = cited.filter((basis) => !known.has(basis));
  expect(others.filter((basis) => !/^(?:§[1-9]|RFC \d+ §[\d.]+|option \w+)$/.test(basis))).toEqual([]);
});
