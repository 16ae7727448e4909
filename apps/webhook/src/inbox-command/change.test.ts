import { setImmediate as turn } from 'node:timers/promises';

import { afterThisTest } from '@plant-store/test-support';

import { Claims, failed, HANDLED, incoming, PARKED } from '../../test/open-inbox.js';
import { InnerProcess, plantInbox, plantInboxIn, type Result } from '../../test/run-plant-inbox.js';
import { type Kept, runningInbox, stoppedInbox } from '../../test/serve-inbox.js';
import type { AttemptResult } from '../inbox/delivery.js';
import type { Act } from '../inbox/inbox-operations.js';
import { followAct } from './change.js';
import { withConnection } from './connection.js';
import { Terminal } from './terminal.js';

const KEPT: readonly Kept[] = [
  ['content 1', HANDLED],
  ['content 2', HANDLED],
  ['content 3', PARKED],
  ['content 4', PARKED],
];

const jsonOf = ({ stdout }: Result): unknown => JSON.parse(stdout);

/** Two inboxes are not filled and replayed at the same time, and have keys of their own. */
const withoutTimesAndKeys = (result: Result): Result => ({
  ...result,
  stdout: result.stdout
    .replaceAll(/\d{4}-\d\d-\d\dT\S+Z/g, 'TIME')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'KEY'),
});

test('a stopped inbox shows and does the same as one whose receiver runs', async () => {
  const { folder: running, inbox } = await runningInbox(KEPT);
  const stopped = await stoppedInbox(KEPT);
  const results: Result[] = [];
  for (const command of [
    ['pause'],
    ['replay', '--since', '1h', '-ojson', '--yes'],
    ['replay', '1', '1', '4', '77', '--yes'],
    ['show', '1'],
    ['show', '77'],
  ]) {
    const result = withoutTimesAndKeys(await plantInbox(...command, '--inbox', running));
    expect([command, withoutTimesAndKeys(await plantInbox(...command, '--inbox', stopped))]).toEqual([
      command,
      result,
    ]);
    results.push(result);
  }

  expect(jsonOf(results[1]!)).toEqual({ replayed: 2, left: [], act: 2 });
  expect(results.slice(2)).toEqual([
    {
      code: 1,
      stdout: '1 delivery replayed.\n',
      stderr:
        'Replaying 1 handled delivery.\nDelivery 4 was not replayed: it is waiting.\nDelivery 77 was not replayed: there is none.\n',
    },
    {
      code: 0,
      stdout: expect.stringMatching(/^id +1\nkey +KEY\nstate +waiting\n[^]*content 1\n$/),
      stderr: '',
    },
    { code: 1, stdout: '', stderr: 'plant-inbox: There is no delivery 77.\n' },
  ]);
  const statsOf = async (folder: string): Promise<string> =>
    (await plantInbox('stats', '--inbox', folder)).stdout;
  expect(await statsOf(stopped)).toMatch(/^receiver {3}stopped\nhandler {4}paused\n/);
  expect(await statsOf(running)).toMatch(/^receiver {3}running\nhandler {4}paused\n/);
  expect(jsonOf(await plantInbox('stats', '-ojson', '--inbox', running))).toMatchObject({
    waiting: 3,
    handled: 1,
    oldestWaitingAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    now: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    isPaused: true,
  });
  await plantInbox('resume', '--inbox', running);
  expect(await inbox.operations.stats()).toMatchObject({ isPaused: false });
});

test('replay takes what is parked or retrying, but nothing that is handled', async () => {
  const inbox = await stoppedInbox([
    ['content 1', HANDLED],
    ['content 2', PARKED],
    ['content 3', failed(3_600_000)],
  ]);

  expect(await plantInbox('replay', '--inbox', inbox)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'plant-inbox: This is about 1 parked delivery and 1 retrying delivery. Add --yes: there is no terminal to ask on.\n',
  });
  expect(await plantInbox('replay', '--yes', '--inbox', inbox)).toEqual({
    code: 0,
    stdout: '2 deliveries replayed.\n',
    stderr: 'Replaying 1 parked delivery and 1 retrying delivery.\n',
  });
  expect(jsonOf(await plantInbox('stats', '-ojson', '--inbox', inbox))).toMatchObject({
    waiting: 2,
    handled: 1,
  });
});

test.each<[string, string[], Result]>([
  [
    'of nothing that has failed',
    ['replay'],
    { code: 0, stdout: 'No such delivery is retrying or parked. Nothing was replayed.\n', stderr: '' },
  ],
  [
    'of what waits, chosen by ids',
    ['replay', '--id', '1..2'],
    { code: 0, stdout: 'No such delivery is retrying or parked. Nothing was replayed.\n', stderr: '' },
  ],
  [
    'of one state',
    ['replay', '--state', 'parked', '--error', 'arbitrary'],
    { code: 0, stdout: 'No such delivery is parked. Nothing was replayed.\n', stderr: '' },
  ],
  [
    'of what waits, named',
    ['replay', '2'],
    { code: 1, stdout: '0 deliveries replayed.\n', stderr: 'Delivery 2 was not replayed: it is waiting.\n' },
  ],
  [
    'of handled ones, without others',
    ['replay', '--state', 'handled'],
    { code: 0, stdout: '1 delivery replayed.\n', stderr: 'Replaying 1 handled delivery.\n' },
  ],
  [
    'of nothing that can be discarded',
    ['discard', '--state', 'parked', '--reason', 'arbitrary'],
    { code: 0, stdout: 'No such delivery is parked. Nothing was discarded.\n', stderr: '' },
  ],
])('a change says what it is about: %s', async (_name, args, says) => {
  const inbox = await stoppedInbox([['content 1', HANDLED], ['content 2']]);

  expect(await plantInbox(...args, '--yes', '--inbox', inbox)).toEqual(says);
  const isChanged = says.stderr.startsWith('Replaying');
  expect((await plantInbox('acts', '--inbox', inbox)).stderr).toBe(isChanged ? '' : 'No acts.\n');
});

test('replay --wait says what became of it, and exits with 0 only if all are handled', async () => {
  const { folder, inbox } = await runningInbox(KEPT);
  const claims = Claims.begin(inbox);
  const replay = async (...results: readonly AttemptResult[]): Promise<Result> => {
    const replayed = plantInbox('replay', '--yes', '--wait', '--reason', 'it is back', '--inbox', folder);
    while ((await inbox.operations.stats()).waiting < 2) await turn();
    await claims.settle(...results);
    return replayed;
  };

  expect(await replay(HANDLED, PARKED)).toMatchObject({
    ...{ code: 1, stdout: '2 deliveries replayed.\nhandled 1, failed 1, waiting 0\n' },
  });
  await inbox.accept(incoming('content 5'));
  await claims.settle(PARKED);
  expect(await replay(HANDLED, HANDLED)).toMatchObject({ code: 0 });
  const { stdout } = await plantInbox('acts', '--inbox', folder);
  expect(stdout.replaceAll(/(?<!\S)(?:\S+Z|\S+@\S+)/g, '_')).toMatch(
    /^ACT +AT .*\n +2 +_ +_ +replay +2 retrying, parked --id 1\.\.5 +handled 2, failed 0, waiting 0 +plant-inbox +it is back\n +1 +_ +_ +replay +2 retrying, parked --id 1\.\.4 +handled 1, failed 1, waiting 0 /,
  );
  expect((await plantInbox('show', '4', '--inbox', folder)).stdout).toMatch(/\nACT .*\n +2 /);
});

test('an act of many ids is a short line', async () => {
  const inbox = await stoppedInbox([['content 1', HANDLED]]);
  await plantInbox(
    'replay',
    ...Array.from({ length: 500 }, (_, index) => `${index + 1}`),
    '--yes',
    '--inbox',
    inbox,
  );

  expect((await plantInbox('acts', '--inbox', inbox)).stdout).toContain(
    ' 1 parked, retrying, handled --id 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 490 more ',
  );
});

test('an act is of who is named, or became another user with sudo', async () => {
  const { folder } = await runningInbox(KEPT);
  afterThisTest(() => delete process.env['SUDO_USER']);
  process.env['SUDO_USER'] = 'ada';
  await plantInbox('pause', '--inbox', folder);
  await plantInbox('resume', '--by', 'grace', '--inbox', folder);

  expect((await plantInbox('acts', '--inbox', folder)).stdout).toMatch(/ grace@\S.*\n.* ada@\S/);
});

test('replay --wait changes nothing without a receiver, and does not wait for a handler that is paused', async () => {
  const stopped = await stoppedInbox(KEPT);
  expect(await plantInbox('replay', '--yes', '--wait', '--inbox', stopped)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--wait needs a receiver') as string,
  });
  expect((await plantInbox('acts', '--inbox', stopped)).stderr).toBe('No acts.\n');
  const { folder, inbox } = await runningInbox(KEPT);
  await inbox.operations.setPaused(true);

  expect(await plantInbox('replay', '--yes', '--wait', '--inbox', folder)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /This is act 2\. .*\n.*The handler is paused: handled 0, failed 0, waiting 2\./,
    ) as string,
  });
});

test.each([
  ['nobody handles', 0],
  ['an attempt does not end', 1],
])('replay --wait ends if %s', async (_name, running) => {
  const { folder, inbox } = await runningInbox(KEPT);
  const inner = new InnerProcess();
  const waiting = withConnection(`file:${folder}`, async (connection) => {
    const act = await connection.post<Act>('/acts', { kind: 'replay', filter: {} });
    // An arrival is no progress.
    await inbox.accept(incoming('arbitrary'));
    if (running > 0) await Claims.begin(inbox).claim(running);
    return followAct(new Terminal(inner), connection, act, true, { idle: 0, running: 0 });
  });

  await expect(waiting).rejects.toThrow(
    'No receiver handles deliveries, or an attempt has not ended for long: handled 0, failed 0, waiting 2.',
  );
  expect(inner.result.stderr).toContain('This is act 1. To see what becomes of it: plant-inbox acts');
});

test('discard deletes the content of what is parked, and keeps why', async () => {
  const inbox = await stoppedInbox(KEPT);
  const discard = (...args: readonly string[]): Promise<Result> =>
    plantInbox('discard', ...args, '--yes', '--reason', 'sent twice by mistake', '--inbox', inbox);

  expect(await discard('1', '4')).toEqual({
    code: 1,
    stdout: '1 delivery discarded.\n',
    stderr: 'Discarding 1 parked delivery.\nDelivery 1 was not discarded: it is handled.\n',
  });
  expect(jsonOf(await plantInbox('show', '4', '-ojson', '--inbox', inbox))).toMatchObject({
    state: 'discarded',
    reason: 'sent twice by mistake',
    content: '',
  });
  expect(await discard('--state', 'parked')).toEqual({
    code: 0,
    stdout: '1 delivery discarded.\n',
    stderr: 'Discarding 1 parked delivery.\n',
  });
});

describe('on a terminal, a change asks before it begins', () => {
  const QUESTION = 'Replay 2 parked deliveries? [y/N] ';

  test.each<[args: string[], question: string, stdin: string, code: number, says: string]>([
    [['replay'], QUESTION, '', 1, 'Nothing was replayed.\n'],
    [
      ['discard', '--state', 'parked', '--reason', 'arbitrary'],
      'Delete for good the content of 2 parked deliveries? [y/N] ',
      'n\n',
      1,
      'Nothing was discarded.\n',
    ],
    [['replay'], QUESTION, 'y\n', 0, '2 deliveries replayed.\n'],
  ])('%j: %s%j', async (args, question, stdin, code, says) => {
    const inbox = await stoppedInbox(KEPT);

    const { result } = await plantInboxIn({ stdin, columns: 80 }, ...args, '--inbox', inbox);

    expect(result.code).toBe(code);
    expect(result.stderr).toContain(question);
    expect(result.stdout + result.stderr).toContain(says);
  });
});
