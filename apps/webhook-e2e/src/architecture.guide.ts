import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ROOT } from '../support/development.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { preloading, type RunningReceiver, startReceiver } from '../support/receiver.js';

const COVERAGE = fileURLToPath(new URL('../support/coverage.mjs', import.meta.url));

/** The job of the retention. It runs every few seconds. */
const RETENTION = 'inbox/retention.ts';

/** They run in the inbox's thread, and so does a part of what the main thread enters. */
const IN_THE_THREAD = ['open-database', 'open-files', 'sqlite-thread'].map(
  (name) => `inbox/sqlite/${name}.ts`,
);

/** The files that the main thread has entered since it was asked before. */
async function entered({ process: receiver }: RunningReceiver): Promise<string[]> {
  const before = receiver.entries('entered').length;
  receiver.signal('SIGUSR2');
  const { files } = await receiver.logged('entered', before + 1);
  return files as string[];
}

test('docs/explanation/architecture.md names the files that one delivery enters, and no other', async () => {
  const page = readFileSync(join(ROOT, 'docs/explanation/architecture.md'), 'utf8');
  const [, list = ''] =
    /In the receiver, one delivery passes through these \d+ files:\n\n(.*?)\n\n/s.exec(page) ?? [];
  const named = [...list.matchAll(/`([a-z/.-]+\.ts)`/g)].map(([, file]) => file!);
  const receiver = await startReceiver({ settings: preloading(COVERAGE) });
  let files: string[];
  do {
    await sendAll(receiver, ['before']);
    await untilNothingWaits(receiver.inbox);
    await entered(receiver);
    await sendAll(receiver, ['arbitrary']);
    await untilNothingWaits(receiver.inbox);
    files = await entered(receiver);
  } while (files.includes(RETENTION));

  expect(named.toSorted()).toEqual([...files, ...IN_THE_THREAD].toSorted());
  expect(page).toContain(`passes through these ${named.length} files`);
});
