import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterThisTest } from '@plant-store/test-support';

import { ROOT, terminal } from '../support/development.js';
import { readInbox } from '../support/inbox.js';
import { ACCESS_TOKEN } from '../support/messages.js';
import { everythingOpen, startReceiver } from '../support/receiver.js';

const run = promisify(execFile);

test("the README's example sends from code", async () => {
  const { origin, inbox } = await startReceiver();
  const [, example = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  // In the workspace, so that it finds the package as an installed copy would.
  const folder = join(ROOT, 'apps/webhook-e2e/test-output');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `readme-example-${process.pid}.mjs`);
  writeFileSync(file, example.replace('http://127.0.0.1:3000', origin));
  afterThisTest(() => rmSync(file));

  await run(process.execPath, [file], { env: terminal({ ...everythingOpen, ACCESS_TOKEN }) });

  expect(readInbox(inbox)).toHaveLength(1);
});
