import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterThisTest, freePort, makeFolder } from '@plant-store/test-support';
import { cloneWorkingTree } from '@plant-store/test-support/clone';

import { DevelopmentProcess, ROOT, terminal } from '../support/development.js';
import { blocksOf, shown } from '../support/documented.js';
import { untilNothingWaits } from '../support/poison.js';
import { everythingOpen } from '../support/receiver.js';

const run = promisify(execFile);
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

const blocks = (heading: string, language: string): string[] => blocksOf(readme, heading, language);

test('what the README shows is what a new user sees', async () => {
  const folder = makeFolder();
  cloneWorkingTree(ROOT, folder);
  const ports = { PORT: String(await freePort()), OPERATIONS_PORT: String(await freePort()) };
  const here = (text: string): string =>
    text
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.PORT}`)
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${ports.OPERATIONS_PORT}`);
  const enter = async (commands: string): Promise<string> => {
    const { stdout } = await run('/bin/sh', ['-c', `exec 2>&1\n${commands}`], {
      cwd: folder,
      env: terminal(everythingOpen),
    });
    return stdout;
  };
  const expectSession = async (session = ''): Promise<void> => {
    const [, command = '', output = ''] = /^\$ (.*)\n([^]*)/.exec(here(session)) ?? [];
    expect(await enter(command)).toMatch(shown(output));
  };

  // Start
  const [install, start] = blocks('Start', 'sh')[0]!.trim().split('\n');
  expect([install, start]).toEqual(['npm ci', 'npm start']);
  const served = new DevelopmentProcess(['npm', 'start'], {
    folder,
    environment: terminal({ ...ports, ...everythingOpen }),
  });
  afterThisTest(() => served.stop());
  await served.printed(/^A change of the source/);
  const [output] = blocks('Start', 'text');
  expect(served.output).toMatch(shown(here(output!)));
  const [send] = await served.printed(/^ +echo .*/);
  await enter(send);
  await untilNothingWaits(join(folder, 'data/inbox'));
  await expectSession(blocks('Start', 'console')[0]);

  // Handle a plant
  const handler = join(folder, 'apps/webhook/src/dispatch/new-plant.handler.ts');
  const [written = ''] = blocks('Handle a plant', 'ts');
  writeFileSync(
    handler,
    readFileSync(handler, 'utf8').replace(/@Injectable\(\)\n.*/s, () => written),
  );
  await served.listening(2);
  await expectSession(blocks('Handle a plant', 'console')[0]);
  await served.printed(/^Delivery 1: Sample content\. /);

  // Send a plant
  writeFileSync(join(folder, 'send.mjs'), here(blocks('Send a plant', 'js')[0]!));
  await expectSession(blocks('Send a plant', 'console')[0]);
  await served.printed(/^Delivery 2: \{"note":/);
}, 600_000);

test('nx serve webhook does the same as npm start', () => {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const { scripts } = read('package.json') as { scripts: { start: string } };
  const { nx } = read('apps/webhook/package.json') as {
    nx: { targets: { serve: { options: { command: string; cwd: string } } } };
  };

  expect(nx.targets.serve.options).toEqual({ command: `exec ${scripts.start}`, cwd: '{workspaceRoot}' });
});

// `openapi:guide` runs each command of that page.
test('the command that enters an answer is the one of docs/how-to/answer-a-question.md', () => {
  const [command = ''] = blocks('Answer a question', 'sh');

  expect(readFileSync(join(ROOT, 'docs/how-to/answer-a-question.md'), 'utf8')).toContain(
    `\`\`\`sh\n${command}\`\`\``,
  );
});
