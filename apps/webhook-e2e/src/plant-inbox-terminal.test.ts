import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';

import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { onTerminal, PLANT_INBOX, plantInbox } from '../support/plant-inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import type { TestProcess } from '../support/process.js';
import { startReceiver } from '../support/receiver.js';

/** `script`, which gives a command a terminal, has other options on other systems. */
const hasTerminals = platform() === 'linux' && spawnSync('script', ['--version']).status === 0;

const COUNT = 2_000;

(hasTerminals ? describe : describe.skip)('on a terminal', () => {
  let inbox: string;
  const plantInboxOn = (columns: number, ...args: string[]): TestProcess =>
    onTerminal([process.execPath, PLANT_INBOX, ...args, '--inbox', inbox].join(' '), columns);

  beforeAll(async () => {
    const folder = makeFolder(afterThisFile);
    inbox = join(folder, 'inbox');
    const line = { state: 'waiting', method: 'POST', mediaType: null, contentEncoding: null };
    const lines = Array.from({ length: COUNT }, (_, index) => {
      const content = Buffer.from(`content ${index}`).toString('base64');
      return JSON.stringify({ ...line, eventId: `event \u001b[2J 植物植物植物植物植物 ${index}`, content });
    });
    writeFileSync(`${inbox}.lines`, lines.join('\n'));
    expect(await plantInbox('import', `${inbox}.lines`, '--inbox', inbox)).toMatchObject({ code: 0 });
  });

  test('tables fit', async () => {
    const list = plantInboxOn(80, 'list', '--limit', '3');
    expect(await list.exit).toMatchObject({ code: 0 });

    const lines = list.stdout.split('\r\n').slice(0, 4);
    expect(lines.map((text) => text.length + (text.match(/[植物]/g)?.length ?? 0) <= 80)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(lines[3]).toMatch(/^1998 {2}waiting .* event \\u001b\[2J 植物.*…$/);
    expect(list.stdout).not.toContain('\u001b');
  });

  test('long work has a progress bar, which is gone at its end', async () => {
    const file = `${inbox}.exported`;
    const command = plantInboxOn(80, 'export', file);
    expect(await command.exit).toMatchObject({ code: 0 });

    expect(command.stdout).toMatch(/Exporting █.* 100 %, 2,000 deliveries/);
    // The line was cleared before.
    expect(command.stdout.slice(command.stdout.lastIndexOf('\u001b'))).toBe(
      '\u001b[2K2,000 deliveries exported.\r\n',
    );
  });

  test('an import has one too', async () => {
    const command = onTerminal(
      [process.execPath, PLANT_INBOX, 'import', `${inbox}.lines`, '--inbox', `${inbox}.imported`].join(' '),
      80,
    );
    expect(await command.exit).toMatchObject({ code: 0 });

    expect(command.stdout).toMatch(/Importing █.* \d+ %, [\d,]+ deliveries/);
    expect(command.stdout).toContain('deliveries stored: 2000; ');
  });

  test('without a terminal there is none', async () => {
    expect(await plantInbox('export', `${inbox}.exported-2`, '--inbox', inbox)).toEqual({
      code: 0,
      stdout: '',
      stderr: '2,000 deliveries exported.\n',
    });
  });

  test('Ctrl-C stops between two batches, and says how to go on', async () => {
    const file = `${inbox}.partial`;
    const command = plantInboxOn(200, 'export', file);
    await command.until(() => /Exporting/.exec(command.stdout) ?? undefined, 'a progress bar');
    command.type('\u0003');

    expect(await command.exit).toMatchObject({ code: 1 });
    expect(command.stdout).toMatch(
      /plant-inbox: Interrupted\. [\d,]+ deliver(y was|ies were) exported before\. .*\.partial is partial\. To go on, run it again with --id \d+\.\.2000\.\r\n$/,
    );
  });

  test.each([
    ['y\n', 'Delivery 1 was not discarded: it is waiting, not parked.'],
    ['n\n', 'Nothing was discarded.'],
    ['\n', 'Nothing was discarded.'],
    ['\u0004', 'Nothing was discarded.'],
  ])('discard asks before it begins; the answer %j', async (answer, says) => {
    const command = plantInboxOn(80, 'discard', '1', '--reason', 'arbitrary');
    const question = "Delete the content of delivery 1? It can't be restored. [y/N] ";
    await command.until(() => command.stdout.includes(question) || undefined, 'the question');
    command.type(answer);

    expect(await command.exit).toMatchObject({ code: 1 });
    expect(command.stdout).toContain(says);
  });

  test.each([
    ['y\n', 0, '2 deliveries replayed.'],
    ['n\n', 1, 'Nothing was replayed.'],
  ])('replay asks before handled deliveries are handled again; the answer %j', async (answer, code, says) => {
    const receiver = await startReceiver({ settings: poisonSettings });
    await sendAll(receiver, ['arbitrary', 'arbitrary']);
    await untilNothingWaits(receiver.inbox);
    const command = onTerminal(
      [process.execPath, PLANT_INBOX, 'replay', '--state', 'handled', '--inbox', receiver.inbox].join(' '),
      80,
    );
    const question = 'Replay 2 handled deliveries? The handler handles them again. [y/N] ';
    await command.until(() => command.stdout.includes(question) || undefined, 'the question');
    command.type(answer);

    expect(await command.exit).toMatchObject({ code });
    expect(command.stdout).toContain(says);
  });

  test('the bytes of a content are not written to it', async () => {
    const command = plantInboxOn(80, 'show', '1', '--raw');

    expect(await command.exit).toMatchObject({ code: 2 });
    expect(command.stdout).toContain('--raw writes to a file or a pipe, not to a terminal: add > FILE');
  });
});
