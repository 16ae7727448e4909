import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { openConnection } from '../support/connection.js';
import { ROOT, terminal } from '../support/development.js';
import { expectResponse } from '../support/expect-response.js';
import { message, POST, RIGHT } from '../support/messages.js';
import { PLANT_INBOX, plantInbox } from '../support/plant-inbox.js';
import { everythingOpen, startReceiver } from '../support/receiver.js';

const page = readFileSync(join(ROOT, 'docs/how-to/answer-from-evidence.md'), 'utf8');

/** In every value that is sent. */
const CANARY = 'canary';

const FERN = JSON.stringify({ id: '0b0a3a0e-6f3c-4ab6-8a4e-0d0f6f2a0c11', name: CANARY, height: 40 });
const OTHERS = [
  JSON.stringify({ id: 'a987fbc9-4bed-3078-af07-9141ba07c9f3', name: CANARY, tags: [CANARY, CANARY] }),
  JSON.stringify({ id: '5a0c7a0e-1f3c-4ab6-8a4e-0d0f6f2a0c11', name: CANARY, height: null }),
];

/** What differs with each inbox: times, and the durations between them. */
const masked = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/( {2}time between two of them:\n).*\n.*\n/, '$1');

/** Starts a receiver that has four deliveries. */
async function startWithDeliveries(folder: string): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const url = `file:${join(folder, 'data/inbox')}`;
  const { port, process: receiver } = await startReceiver({ folder, settings: { INBOX_URL: url } });
  const connection = await openConnection(port);
  const fields = [RIGHT, 'Content-Type: application/json; charset=utf-8', `X-Request-Id: ${CANARY}`];
  for (const content of [FERN, ...OTHERS, FERN]) {
    connection.write(message(content === OTHERS[1] ? POST.replace('POST', 'PUT') : POST, fields, content));
    expectResponse(await connection.response(), { status: 204 });
  }
  return { url, stop: () => receiver.stop() };
}

test('the sessions of the page are what the commands print', async () => {
  const folder = makeFolder();
  await startWithDeliveries(folder);
  const sessions = [...page.matchAll(/```console\n(.*?)```/gs)].map(([, session]) => session!);

  const printed = sessions.map((session) => {
    const [line = ''] = session.split('\n');
    const commandLine = line.slice(2).replace('npx plant-inbox', `'${process.execPath}' '${PLANT_INBOX}'`);
    const { stdout } = spawnSync('/bin/sh', ['-c', `${commandLine} 2>&1`], {
      cwd: folder,
      env: terminal(everythingOpen),
      encoding: 'utf8',
    });
    return `${line}\n${stdout}`;
  });

  expect(sessions).toHaveLength(2);
  expect(masked(printed.join(''))).toBe(masked(sessions.join('')));
});

test('no value that was sent is in an output, whether the receiver runs or not', async () => {
  const folder = makeFolder();
  const { url, stop } = await startWithDeliveries(folder);
  const schema = { type: 'object', properties: { height: { type: 'integer' } }, required: ['height'] };
  const answers = {
    'media-type': 'application/json',
    payload: 'plant',
    'plant-fields': JSON.stringify(schema),
  };
  const proposed = Object.entries(answers).flatMap(([id, answer]) => ['--question', id, '--answer', answer]);
  const run = (...args: readonly string[]): ReturnType<typeof plantInbox> =>
    plantInbox(...args, '--inbox', url);

  const evidence = await run('evidence', '--json');
  const tried = await run('try', ...proposed, '--json');
  const texts = [await run('evidence'), await run('try', ...proposed)];
  await stop();

  expect([await run('evidence'), await run('try', ...proposed)]).toEqual(texts);
  for (const { code, stdout, stderr } of [evidence, tried, ...texts]) {
    expect([code, stderr]).toEqual([0, '']);
    for (const sent of [CANARY, '0b0a3a0e', RIGHT.slice(-10)]) expect(stdout).not.toContain(sent);
  }
  expect(JSON.parse(evidence.stdout)).toMatchObject({ deliveries: 4, repeats: { contents: 1 } });
  expect(JSON.parse(tried.stdout)).toEqual({
    deliveries: 4,
    discarded: 0,
    refused: [{ status: 422, failure: 'content-invalid', deliveries: 2, ids: [2, 3] }],
    untried: [],
  });
});

test.each<[name: string, args: string[], says: string]>([
  ['a wrong answer', ['--question', 'http-method', '--answer', 'GET'], 'http-method: must be "POST"'],
  [
    'no such question',
    ['--question', 'method', '--answer', 'PUT'],
    'method: is not a question of OPEN_QUESTIONS.md',
  ],
  ['no answer', ['--question', 'http-method'], '--answer is missing.'],
  [
    'a question without its answer',
    ['--question', 'http-method', '--question', 'payload', '--answer', 'PUT'],
    'Each --question needs its --answer.',
  ],
  [
    'a schema that cannot be read',
    ['--question', 'plant-fields', '--answer', '{"type":"a"}'],
    "plant-fields: this JSON Schema can't be tried",
  ],
  ['a schema that is text', ['--question', 'plant-fields', '--answer', 'a'], 'must be a Standard Schema'],
])('%s is wrong usage', async (_name, args, says) => {
  const { code, stdout, stderr } = await plantInbox('try', ...args, '--inbox', makeFolder());

  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
});
