import { execFile } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';
import { cloneWorkingTree } from '@plant-store/test-support/clone';

import { DevelopmentProcess, ROOT, terminal } from '../support/development.js';
import { blocksOf, shown } from '../support/documented.js';
import { untilNothingWaits } from '../support/poison.js';
import { everythingOpen } from '../support/receiver.js';

const run = promisify(execFile);
const page = readFileSync(join(ROOT, 'docs/tutorial/first-plant.md'), 'utf8');

test('what docs/tutorial/first-plant.md shows is what a new user sees', async () => {
  const folder = makeFolder();
  const inbox = join(folder, 'data/inbox');
  cloneWorkingTree(ROOT, folder);
  const enter = async (commands: string): Promise<string> => {
    const { stdout } = await run('/bin/sh', ['-c', `exec 2>&1\n${commands}`], {
      cwd: folder,
      env: terminal(everythingOpen),
    }).catch((error: unknown) => {
      throw new Error(`${commands}\n${(error as { stdout: string }).stdout}`, { cause: error });
    });
    return stdout;
  };
  const expectSession = async (heading: string): Promise<void> => {
    const [session = ''] = blocksOf(page, heading, 'console');
    const [, command = '', output = ''] = /^\$ (.*)\n([^]*)/.exec(session) ?? [];
    expect(await enter(command)).toMatch(shown(output));
  };
  const writeHandler = (heading: string): void => {
    const file = join(folder, 'apps/webhook/src/dispatch/new-plant.handler.ts');
    const [written = ''] = blocksOf(page, heading, 'ts');
    const text = readFileSync(file, 'utf8').replace(/@Injectable\(\)\n.*/s, () => written);
    // At once: half a file would be one more change, with a restart of its own.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };

  const [install, start = ''] = blocksOf(page, '1. Start the receiver', 'sh')[0]!.trim().split('\n');
  expect(install).toBe('npm ci');
  const ports = { PORT: String(await freePort()), OPERATIONS_PORT: String(await freePort()) };
  const served = new DevelopmentProcess(['/bin/sh', '-c', `exec env ${start}`], {
    folder,
    environment: terminal({ ...ports, ...everythingOpen }),
  });
  afterThisTest(() => served.stop());
  await served.printed(/^A change of the source/);

  const [send] = await served.printed(/^ +echo .*/);
  await enter(send);
  await untilNothingWaits(inbox);
  await expectSession('2. Send a delivery');

  writeHandler('3. Let it fail');
  await served.listening(2);
  await enter(send);
  await untilNothingWaits(inbox);
  await expectSession('3. Let it fail');
  expect(await enter('npx plant-inbox show 2')).toContain('no room for plant 2');

  writeHandler('4. Correct the handler, and replay');
  await served.listening(3);
  await expectSession('4. Correct the handler, and replay');
  await served.printed(/^Plant 2: Sample content\. /);

  // The page is about an open question: answers of the contract would be hidden.
  if (everythingOpen['NODE_OPTIONS'] !== undefined) return;
  const [answer = '', remove = ''] = blocksOf(page, '5. Answer a question', 'sh');
  await enter(answer);
  await served.listening(4);
  expect(await enter(`${send} || true`)).toContain('405');
  expect(await enter(remove)).toContain('open again');
  await served.listening(5);
  expect(await enter(send)).toMatch(/^acknowledged: 204, /m);
}, 600_000);
