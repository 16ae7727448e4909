import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { openConnection } from '../support/connection.js';
import { ROOT, terminal } from '../support/development.js';
import { expectResponse } from '../support/expect-response.js';
import { message, POST, RIGHT } from '../support/messages.js';
import { PLANT_INBOX } from '../support/plant-inbox.js';
import { everythingOpen, startReceiver } from '../support/receiver.js';

const page = readFileSync(join(ROOT, 'docs/how-to/answer-a-question.md'), 'utf8');

const FERN = JSON.stringify({ id: '0b0a3a0e-6f3c-4ab6-8a4e-0d0f6f2a0c11', name: 'sample', height: 40 });
const OTHERS = [
  JSON.stringify({ id: 'a987fbc9-4bed-3078-af07-9141ba07c9f3', name: 'sample', tags: ['sample', 'sample'] }),
  JSON.stringify({ id: '5a0c7a0e-1f3c-4ab6-8a4e-0d0f6f2a0c11', name: 'sample', height: null }),
];

/** Starts a receiver that has four deliveries. */
async function startWithDeliveries(folder: string): Promise<void> {
  const { port } = await startReceiver({
    folder,
    settings: { INBOX_URL: `file:${join(folder, 'data/inbox')}` },
  });
  const connection = await openConnection(port);
  const fields = [RIGHT, 'Content-Type: application/json; charset=utf-8', 'X-Request-Id: arbitrary'];
  for (const content of [FERN, ...OTHERS, FERN]) {
    connection.write(message(content === OTHERS[1] ? POST.replace('POST', 'PUT') : POST, fields, content));
    expectResponse(await connection.response(), { status: 204 });
  }
}

test('the session of the page is what the command prints', async () => {
  const folder = makeFolder();
  await startWithDeliveries(folder);
  const [, session = ''] = /```console\n(.*?)```/s.exec(page) ?? [];
  const [line = ''] = session.split('\n');

  const command = line.slice(2).replace('npx plant-inbox', `'${process.execPath}' '${PLANT_INBOX}'`);
  const { stdout } = spawnSync('/bin/sh', ['-c', `${command} 2>&1`], {
    cwd: folder,
    env: terminal(everythingOpen),
    encoding: 'utf8',
  });

  expect(`${line}\n${stdout}`).toBe(session);
});
