import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';

import { ACCESS_TOKEN } from './access-token.js';
import { everythingOpen } from './everything-open.js';
import { makeFolder } from './make-folder.js';
import { readInbox } from './read-inbox.js';
import { startReceiver } from './start-receiver.js';
import { afterThisTest } from './teardown.js';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The environment of a person's terminal: nothing of what Jest or the receiver reads is in it. */
function terminal(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...everythingOpen, ...settings };
}

/** Serves the receiver as `nx serve webhook` does, on any port and with an inbox of its own. */
function serve(folder: string): Interface {
  const environment = terminal({ PORT: '0', OPERATIONS_PORT: '0', INBOX_URL: `file:${folder}` });
  const served = spawn(process.execPath, ['apps/webhook/serve/serve.mjs'], { cwd: ROOT, env: environment });
  afterThisTest(async () => {
    const ended = once(served, 'exit');
    served.kill('SIGTERM');
    await ended;
  });
  return createInterface({ input: served.stdout });
}

/** The next line that matches. */
function lineOf(lines: Interface, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    lines.on('line', function onLine(line: string) {
      if (!pattern.test(line)) return;
      lines.off('line', onLine);
      resolve(line);
    });
  });
}

test('npm start prints a line that sends a delivery, and reports the delivery', async () => {
  const folder = makeFolder();
  const lines = serve(folder);
  const line = await lineOf(lines, /plant-store send/);

  const reported = lineOf(lines, /a new plant was added to the store/);
  const { stdout } = await run('/bin/sh', ['-c', line], { cwd: ROOT, env: terminal({}) });

  expect(stdout).toMatch(/^acknowledged: 204, /);
  await expect(reported).resolves.toContain('"delivery":1');
  expect(readInbox(folder).map(({ content }) => String(content))).toEqual([
    expect.stringContaining('Sample content. It is arbitrary'),
  ]);
});

test("the README's example sends from code", async () => {
  const { origin, inbox } = await startReceiver();
  const [, example = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  // In the workspace, so that it finds the package as an installed copy would.
  const file = join(ROOT, `apps/webhook-e2e/test-output/readme-example-${process.pid}.mjs`);
  writeFileSync(file, example.replace('http://127.0.0.1:3000', origin));
  afterThisTest(() => rmSync(file));

  await run(process.execPath, [file], { env: terminal({ ACCESS_TOKEN }) });

  expect(readInbox(inbox)).toHaveLength(1);
});
