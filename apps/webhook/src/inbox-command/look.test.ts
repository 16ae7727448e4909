import { stripVTControlCharacters } from 'node:util';

import { failed, HANDLED, PARKED } from '../../test/open-inbox.js';
import { InnerProcess, plantInbox, plantInboxIn } from '../../test/run-plant-inbox.js';
import { type Kept, stoppedInbox } from '../../test/serve-inbox.js';
import { headText } from './look.js';
import { Terminal } from './terminal.js';

const T = Date.parse('2026-11-22T09:30:00.5Z');

test('the head of a delivery has its failed attempts and the last stack', () => {
  const attempt = { startedAt: T, receiver: 'host 1', error: 'Error: first', stack: 'not shown' };

  const head = headText(new Terminal(new InnerProcess()), {
    id: 4,
    key: '2f1c6a0e-5d0b-4f43-9a51-0c1f6f0d7b3e',
    state: 'retrying',
    receivedAt: T,
    startedAt: T + 1_000,
    replayedAt: null,
    endedAt: T + 2_000,
    attempts: 2,
    error: 'Error: second\u001b',
    dueAt: T + 3_000,
    reason: null,
    eventId: 'event',
    method: 'POST',
    mediaType: 'text/plain',
    contentEncoding: 'gzip',
    bytes: 3,
    fields: [['X-Any', 'arbitrary']],
    content: 'YWJj',
    act: null,
    history: [
      { ...attempt, number: 1, duration: 12 },
      {
        ...attempt,
        number: 2,
        duration: null,
        error: 'Error: second\u001b',
        stack: 'Error: second\n  at\u001b',
      },
    ].flatMap((each) =>
      each.number === 1
        ? [each]
        : [each, { ...each, number: 3 }, { ...each, number: 4, startedAt: T + 9_000 }],
    ),
  });

  // Nx asks for colours.
  expect(stripVTControlCharacters(head)).toBe(`id          4
key         2f1c6a0e-5d0b-4f43-9a51-0c1f6f0d7b3e
state       retrying
received    2026-11-22T09:30:00.500Z
attempts    2
last began  2026-11-22T09:30:01.500Z
last ended  2026-11-22T09:30:02.500Z
error       Error: second\\u001b
due         2026-11-22T09:30:03.500Z
event       event
method      POST
media type  text/plain
encoding    gzip
bytes       3

FAILED  BEGAN                 LAST BEGAN            TOOK     RECEIVER  ERROR
1       2026-11-22T09:30:00Z                        12 ms    host 1    Error: first
2 to 4  2026-11-22T09:30:00Z  2026-11-22T09:30:09Z  cut off  host 1    Error: second\\u001b

Error: second
  at\\u001b

X-Any:  arbitrary
`);
});

const FIELDS = [['Host', 'localhost']] as const;
const BYTES = Buffer.from('bytes\u00ff', 'latin1');

const KEPT: readonly Kept[] = [
  ['content', HANDLED],
  ['\u001b[2Jcontent', HANDLED, { mediaType: null, fields: FIELDS }],
  [BYTES, HANDLED, { mediaType: null, fields: FIELDS }],
  ['content', PARKED],
  ['content', PARKED],
];

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

describe('of an inbox', () => {
  let inbox: string;
  beforeEach(async () => {
    inbox = await stoppedInbox(KEPT);
  });

  test('list is the default command', async () => {
    const { code, stdout, stderr } = await plantInbox('--inbox', inbox);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')).toMatch(
      new RegExp(
        [
          '^ID  STATE    RECEIVED +BYTES  ATTEMPTS  ERROR OR REASON',
          ' 5  parked   TIME +7 +1  no more',
          ' 4  parked   TIME +7 +1  no more',
          ' 3  handled  TIME +6 +1',
          ' 2  handled  TIME +11 +1',
          ' 1  handled  TIME +7 +1\n$',
        ].join('\n'),
      ),
    );
  });

  test('list -o json has everything but what was sent, and the options choose', async () => {
    const options = ['--since', '1h', '--id', '2..5', '--state', 'parked', '--after', '5', '--limit', '1'];
    const { code, stdout, stderr } = await plantInbox('list', '-ojson', ...options, '--inbox', inbox);

    expect({ code, stderr }).toEqual({ code: 0, stderr: 'For older ones: --after 4\n' });
    expect(stdout).toMatch(/^\{"id":4,.*\}\n$/);
    expect([JSON.parse(stdout)]).toEqual([
      {
        id: 4,
        state: 'parked',
        attempts: 1,
        error: 'no more',
        bytes: 7,
        eventId: null,
        method: 'POST',
        mediaType: 'text/plain',
        contentEncoding: null,
        receivedAt: TIME,
        startedAt: TIME,
        endedAt: TIME,
        replayedAt: null,
        dueAt: null,
        reason: null,
      },
    ]);
    expect(await plantInbox('list', '--error', 'none', '--inbox', inbox)).toMatchObject({
      stderr: 'No such delivery has this error. For the errors that there are: plant-inbox errors.\n',
    });
    expect(await plantInbox('list', '--before', '1h', '--inbox', inbox)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No deliveries.\n',
    });
  });

  test('show has the head, and the content as text without control characters', async () => {
    const { code, stdout } = await plantInbox('show', '2', '--inbox', inbox);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^id +2\nkey +[\da-f-]{36}\nstate +handled\nreceived .*\nattempts +1\n/);
    expect(stdout.slice(stdout.indexOf('\n\n'))).toBe('\n\nHost:  localhost\n\n\\u001b[2Jcontent\n');
  });

  test('show -o raw writes the bytes, but not to a terminal; -o json has them in base64', async () => {
    const show = ['show', '3', '--inbox', inbox];

    expect((await plantInboxIn({}, ...show, '-oraw')).bytes).toEqual(BYTES);
    expect((await plantInboxIn({ columns: 80 }, ...show, '-oraw')).result).toEqual({
      code: 2,
      stdout: '',
      stderr: 'plant-inbox: -o raw writes to a file or a pipe, not to a terminal: add > FILE.\n',
    });
    expect((await plantInbox(...show)).stderr).toBe(
      'The content is not text. To see its bytes, add -o raw | xxd\n',
    );
    expect(JSON.parse((await plantInbox(...show, '-ojson')).stdout)).toMatchObject({
      id: 3,
      state: 'handled',
      bytes: 6,
      fields: FIELDS,
      content: BYTES.toString('base64'),
    });
  });
});

test('errors groups what has failed, and --error takes what it prints', async () => {
  const error = "Error: no \u001b[2J plant 'rose'";
  const inbox = await stoppedInbox([
    ['content', failed(3_600_000)],
    ['content', { ...PARKED, error: `${error} 7` }],
    ['content', { ...PARKED, error: `${error} 8, caused by ${'a'.repeat(100)}`.slice(0, 200) }],
    ['content', { ...PARKED, error: `${error} 9` }],
    ['content', HANDLED],
  ]);
  const { stdout } = (await plantInboxIn({ columns: 80 }, 'errors', '--inbox', inbox)).result;

  const [headings, first = ''] = stdout.split('\n');
  expect(headings).toMatch(/^PARKED {2}RETRYING {2}FIRST {17}LAST {18}ERROR$/);
  expect(first).toMatch(/^ {5}2 {9}0 {2}\d{4}-\S+Z {2}\d{4}-\S+Z {2}Error: no \\u001b\[…J plant … …$/);
  expect(stdout).toContain('a'.repeat(100));
  const listed = await plantInbox(
    'list',
    '-ojson',
    '--error',
    first.slice(first.indexOf('Error')),
    '--inbox',
    inbox,
  );
  expect(Array.from(listed.stdout.matchAll(/"id":(\d+)/g), ([, id]) => Number(id))).toEqual([4, 2]);
  const lines = (await plantInbox('errors', '-ojson', '--inbox', inbox)).stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { parked: 2, retrying: 0, firstAt: TIME, lastAt: TIME },
    { parked: 1 },
    { retrying: 1 },
  ]);
  expect((await plantInbox('errors', '--inbox', await stoppedInbox([]))).stderr).toBe(
    'No delivery is parked or retrying.\n',
  );
  expect((await plantInbox('stats', '--inbox', inbox)).stdout).toMatch(
    /\nretrying +1\n[^]*\nnext retry +at \S+Z\n/,
  );
});

test('search finds a text in what the options choose', async () => {
  const inbox = await stoppedInbox([...KEPT, ['another']]);
  const search = async (...args: readonly string[]): Promise<unknown[]> => {
    const { stdout, stderr } = await plantInbox('search', ...args, '-ojson', '--inbox', inbox);
    return [...Array.from(stdout.matchAll(/"id":(\d+)/g), ([, id]) => Number(id)), stderr];
  };

  expect(await search('content')).toEqual([5, 4, 2, 1, '']);
  expect(await search('content', '--state', 'parked', '--limit', '1')).toEqual([
    5,
    'For older ones: --after 5\n',
  ]);
  expect(await search('content', '--after', '4')).toEqual([2, 1, '']);
  expect(await search('none')).toEqual(['No deliveries.\n']);
});

test('no line of a list is wider than the terminal, with wide characters and without control characters', async () => {
  const eventId = `event \u001b[2J ${'植物'.repeat(40)}`;
  const inbox = await stoppedInbox([['content', failed(3_600_000), { eventId }]]);

  const { stdout } = (await plantInboxIn({ columns: 80 }, 'list', '--inbox', inbox)).result;

  const lines = stdout.split('\n');
  for (const line of lines)
    expect(line.length + (line.match(/[植物]/g)?.length ?? 0)).toBeLessThanOrEqual(80);
  expect(lines[1]).toMatch(/^ 1 {2}retrying .* event \\u001b\[2J 植物.*…$/);
});
