import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { ROOT, terminal } from '../support/development.js';
import { PLANT_INBOX } from '../support/plant-inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { everythingOpen, startReceiver } from '../support/receiver.js';

const page = readFileSync(join(ROOT, 'docs/reference/plant-inbox.md'), 'utf8');

/** What differs with each inbox: times, and the size on the disk. */
const masked = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, 'TIME')
    .replaceAll(/^(on disk +)[\d,]+/gm, '$1SIZE');

test('the session of the page is what the commands print', async () => {
  const folder = makeFolder();
  const settings = { ...poisonSettings, INBOX_URL: `file:${join(folder, 'data/inbox')}` };
  const receiver = await startReceiver({ folder, settings });
  for (const content of ['handled', 'sample content 1', 'handled', 'sample content 2'])
    await sendAll(receiver, [content]);
  await untilNothingWaits(join(folder, 'data/inbox'));
  const [, session = ''] = /```console\n(.*?)```/s.exec(page) ?? [];

  const printed = session
    .split('\n')
    .filter((line) => line.startsWith('$ '))
    .map((line) => {
      const commandLine = line.slice(2).replace('npx plant-inbox', `'${process.execPath}' '${PLANT_INBOX}'`);
      const { stdout } = spawnSync('/bin/sh', ['-c', `${commandLine} 2>&1`], {
        cwd: folder,
        env: terminal(everythingOpen),
        encoding: 'utf8',
      });
      return `${line}\n${stdout}`;
    });

  expect(masked(printed.join(''))).toBe(masked(session));
});
