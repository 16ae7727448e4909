import {
  appendFileSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder } from '@plant-store/test-support';
import { type Receiver, type Respond, startReceiver } from './support/receiver.js';
import { type Finished, file, required, run } from './support/run.js';

type Situation = NonNullable<Parameters<typeof run>[1]>;

interface Job extends Receiver {
  readonly input: string;
  readonly results: string;
  readonly send: (options?: readonly string[], situation?: Situation) => Promise<Finished>;
}

/** A file with lines, a receiver, and the command that sends them. */
async function prepare(lines: readonly string[], respond?: Respond): Promise<Job> {
  const receiver = await startReceiver(respond);
  const input = file(lines.map((line) => `${line}\n`).join(''));
  const results = join(makeFolder(), 'results.ndjson');
  const args = ['send', '--ndjson', input, '--results', results, ...required(receiver.url)];
  return {
    ...receiver,
    input,
    results,
    send: (options = [], situation) => run([...args, ...options], situation),
  };
}

/** The results of lines in a results file, without messages. */
function resultsOf({ results }: Job): unknown[] {
  const records = readFileSync(results, 'utf8').trim().split('\n');
  return records
    .map((record) => JSON.parse(record) as { line?: number; outcome?: string; message?: string })
    .filter(({ outcome }) => outcome !== undefined && outcome !== 'begun')
    .map((record) => ({ ...record, message: undefined }));
}

const plants = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `{"plant":${index + 1}}`);

test('each line is one plant, and the results file has a line for each', async () => {
  const statuses: Readonly<Record<string, number>> = { '{"plant":2}': 400, '{"plant":4}': 502 };
  const job = await prepare(
    ['{"plant":1}', '{"plant":2}', '', 'no JSON', '{"plant":4}\r'],
    ({ content }) => statuses[content] ?? 204,
  );

  expect(await job.send()).toMatchObject({
    code: 4,
    stdout: '4 lines: 1 acknowledged, 1 not acknowledged, 1 bad input, 1 unknown\n',
    stderr: expect.stringContaining('plant-store: line 4: bad input: The line is not JSON in UTF-8: '),
  });
  expect(job.requests.map(({ content }) => content).sort()).toEqual(
    plants(4).filter((_, index) => index !== 2),
  );
  expect(resultsOf(job)).toHaveLength(4);
  expect(resultsOf(job)).toEqual(
    expect.arrayContaining([
      { line: 1, outcome: 'acknowledged', status: 204 },
      { line: 2, outcome: 'responded', status: 400, code: 'PLANT_STORE_NOT_ACKNOWLEDGED' },
      { line: 4, outcome: 'not-sent', code: 'LINE_NOT_JSON' },
      { line: 5, outcome: 'unknown', status: 502, code: 'PLANT_STORE_NOT_ACKNOWLEDGED' },
    ]),
  );
});

test.each([
  ['a word that JSON has not', Buffer.from('{"a": nil}\n'), 'UTF-8: its syntax is wrong'],
  ['no end', Buffer.from('{"a":\n'), 'UTF-8: it ends too early.'],
  ['a byte order mark', Buffer.from('\ufeff{}\n'), 'byte order mark'],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'it has bytes that are not UTF-8.'],
  ['more than 16 MiB', Buffer.from(`"${'x'.repeat(16_777_216)}"\n`), 'longer than 16777216 bytes'],
])('a line with %s is not sent', async (_name, content, message) => {
  const job = await prepare([]);
  writeFileSync(job.input, content);
  expect(await job.send()).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(job.requests).toEqual([]);
});

test('--resume sends what was refused or not sent, and nothing that was acknowledged', async () => {
  let isBusy = true;
  const job = await prepare(plants(200), (_, number) => (isBusy && number % 3 === 0 ? 503 : 204));
  expect(await job.send()).toMatchObject({ code: 1 });
  isBusy = false;

  expect(await job.send(['-ojson', '--resume'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/"lines": 200,\s+"acknowledged": 200/),
  });
  expect([...job.acknowledged]).toHaveLength(200);
  expect([...job.acknowledged.values()].filter((times) => times > 1)).toEqual([]);
});

test('an interrupt waits for what is in flight, and the next run sends the rest', async () => {
  const interrupt = new AbortController();
  const job = await prepare(['bad', ...plants(100)], (_, number) => {
    if (number === 10) interrupt.abort(new Error('Interrupted.'));
    return 204;
  });

  const first = await job.send(['--concurrency', '4'], { signal: interrupt.signal });
  expect(first).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('interrupted: no further line is sent'),
  });
  expect(job.requests.length).toBeLessThan(20);
  expect(await job.send(['--resume'])).toMatchObject({ code: 2 });
  expect(job.requests).toHaveLength(100);
});

test('a second interrupt ends what is in flight, which is unknown, and sent only if told', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  let isSilent = true;
  const job = await prepare(plants(10), (_, number) => {
    if (isSilent && number === 4) [first, second].forEach((each) => each.abort(new Error('Interrupted.')));
    return isSilent ? undefined : 204;
  });
  const signals = { signal: first.signal, secondSignal: second.signal };
  const stopped = await job.send(['--concurrency', '4'], signals);
  expect(stopped).toMatchObject({ code: 4, stdout: '4 lines: 0 acknowledged, 4 unknown\n' });
  isSilent = false;

  expect(await job.send(['--resume'])).toMatchObject({
    code: 4,
    stdout: '10 lines: 6 acknowledged, 4 unknown\n',
    stderr: expect.stringContaining('An earlier run may have sent this line'),
  });
  expect(await job.send(['--resume', '--resend-unknown'])).toMatchObject({ code: 0 });
  expect(job.requests).toHaveLength(14);
});

test('what a killed run was sending is unknown; a record that is torn is ignored', async () => {
  const job = await prepare(plants(200));
  expect(await job.send()).toMatchObject({ code: 0 });
  const records = readFileSync(job.results, 'utf8').split('\n').slice(0, 150);
  const begun = records.filter((record) => record.includes('begun')).length;
  const acknowledged = records.filter((record) => record.includes('acknowledged')).length;
  writeFileSync(job.results, `${records.join('\n')}\n{"line":1`);

  const before = job.requests.length;
  const resumed = await job.send(['-ojson', '--resume']);
  expect(JSON.parse(resumed.stdout)).toMatchObject({
    exitCode: 4,
    lines: 200,
    acknowledgedBefore: acknowledged,
    unknown: begun - acknowledged,
  });
  expect(job.requests.length - before).toBe(200 - begun);
});

test('a failed resend of an unknown line leaves it unknown', async () => {
  let status = 502;
  const job = await prepare(plants(1), () => status);
  await job.send();
  status = 400;
  expect(await job.send(['--resume', '--resend-unknown'])).toMatchObject({ code: 4 });
  status = 204;
  expect(await job.send(['--resume'])).toMatchObject({ code: 4 });
  expect(job.requests).toHaveLength(2);
});

describe('a file that is written to while it is sent', () => {
  const many = plants(20_000);

  /** Sends it, and does something when some lines were received. */
  const sendAnd = (change: (job: Job) => void): Promise<[Job, Finished]> =>
    new Promise((resolve, reject) => {
      const respond: Respond = (_, number) => {
        if (number === 10) change(job);
        return 204;
      };
      let job: Job;
      prepare(many, respond)
        .then((prepared) => (job = prepared).send())
        .then((finished) => resolve([job, finished]), reject);
    });

  test('is sent as it was when it was opened, also with --resume, and that it has grown is said', async () => {
    const [job, first] = await sendAnd(({ input }) => appendFileSync(input, '{"plant":0}\n'));
    const stderr = expect.stringContaining('What was added was not sent.') as string;
    expect(first).toMatchObject({ code: 0, stdout: '20,000 lines: 20,000 acknowledged\n', stderr });
    expect(await job.send(['--resume'])).toMatchObject({ code: 0, stderr });
    expect(job.requests).toHaveLength(many.length);
  });

  test('is sent on although another file takes its name, which --resume refuses', async () => {
    const [job, first] = await sendAnd(({ input }) => renameSync(file('{}\n'.repeat(100_000)), input));
    expect(first).toMatchObject({ code: 0, stdout: '20,000 lines: 20,000 acknowledged\n' });
    expect(await job.send(['--resume'])).toMatchObject({ code: 2 });
  });

  test.each([
    [
      'becomes shorter',
      (path: string) => truncateSync(path, 100),
      'has become shorter. No further line is sent.',
    ],
    [
      'is changed',
      (path: string) => writeSync(openSync(path, 'r+'), '{"plant":0}\n', 20_000 * 10),
      'was changed while it was sent.',
    ],
  ])('that it %s is said', async (_name, change, message) => {
    const [job, first] = await sendAnd(({ input }) => change(input));
    expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining(message) });
    expect(await job.send(['--resume'])).toMatchObject({ code: 2 });
  });
});

describe('a results file is refused', () => {
  test('that exists, without --resume', async () => {
    const job = await prepare(plants(1));
    await job.send();
    expect(await job.send()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/ exists already\. Continue it with --resume, or name a new file\.\n$/),
    });
  });

  test.each([
    ['there is none', undefined, 'no such file or directory'],
    ['it is another file', 'arbitrary\n', 'is not a results file of plant-store'],
    ['it is empty', '', 'has no results'],
    ['it has JSON of others', '{"arbitrary":1}\n', 'is not a results file of plant-store'],
    [
      'it is about another address',
      '{"sha256":null,"url":"http://other"}\n',
      'is about deliveries to http://other',
    ],
  ])('with --resume, if %s', async (_name, content, message) => {
    const job = await prepare(plants(1));
    if (content !== undefined) writeFileSync(job.results, content);
    expect(await job.send(['--resume'])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(job.requests).toEqual([]);
  });

  test('with --resume, if an outcome in it is unknown', async () => {
    const job = await prepare(plants(1));
    await job.send();
    appendFileSync(job.results, '{"line":1,"outcome":"arbitrary"}\n');
    expect(await job.send(['--resume'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is damaged at its line'),
    });
  });

  test('with --resume, if the input has changed', async () => {
    const job = await prepare(plants(100), ({ content }) => (content.includes('100') ? 400 : 204));
    await job.send();
    writeFileSync(job.input, readFileSync(job.input, 'utf8').replace('1', '2'));
    expect(await job.send(['--resume'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The input has changed'),
    });
    expect(job.requests).toHaveLength(100);
  });

  test('while another command writes to it', async () => {
    const interrupt = new AbortController();
    const job = await prepare(plants(1), () => undefined);
    const first = job.send([], { secondSignal: interrupt.signal });
    await job.whenReceived(1);
    expect(await job.send(['--resume', '--resend-unknown'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Another command writes to the results file'),
    });
    interrupt.abort(new Error('Interrupted.'));
    expect(await first).toMatchObject({ code: 4 });
    expect(job.requests).toHaveLength(1);
  });
});

test('a results file that is full stops the run, and the results that it lacks are printed', async () => {
  const job = await prepare(plants(1));
  const args = ['send', '--ndjson', job.input, '--results', '/dev/full', ...required(job.url)];
  expect(await run(args)).toMatchObject({ code: 2 });
  expect(job.requests).toEqual([]);
});

test('standard input can be sent, and not be resumed', async () => {
  const job = await prepare([]);
  const args = ['send', '--ndjson', '-', '--results', job.results, ...required(job.url)];
  const stdin = Readable.from([Buffer.from('{"plant"'), Buffer.from(':1}\n{}')]);
  expect(await run(args, { stdin })).toMatchObject({ code: 0, stdout: '2 lines: 2 acknowledged\n' });
  expect((await run([...args, '--resume'])).stderr).toContain("Standard input can't be read again");
});

test('a line has the identifier of its event where the option says', async () => {
  const given = { 'event-identity': { header: 'Event-Id' } };
  const job = await prepare(['{"id":"one"}', '{"id":2}', '{"id":0.5}', '{}']);
  expect(await job.send([], { given })).toMatchObject({ code: 2 });
  expect(await job.send(['--event-id-pointer', '/id'], { given })).toMatchObject({ code: 2 });
  expect(job.requests.map(({ headers }) => headers['event-id']).sort()).toEqual(['2', 'one']);
  expect(resultsOf(job)).toEqual(
    expect.arrayContaining(
      [3, 4].map((line) => ({ line, outcome: 'not-sent', code: 'LINE_WITHOUT_EVENT_ID' })),
    ),
  );
});

test('only the first failures are shown', async () => {
  const job = await prepare(plants(30), () => 400);
  const { stderr } = await job.send();
  expect(stderr.match(/line \d+: not acknowledged/g)).toHaveLength(10);
  expect(stderr).toContain(`further failures are in ${job.results}.`);
});
