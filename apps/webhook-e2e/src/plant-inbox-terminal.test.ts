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

/** So many that an export takes longer than a person needs for Ctrl-C. */
const COUNT = 20_000;

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
    for (const text of lines)
      expect(text.length + (text.match(/[植物]/g)?.length ?? 0)).toBeLessThanOrEqual(80);
    expect(lines[3]).toMatch(/^19998 {2}waiting .* event \\u001b\[2J 植物.*…$/);
    expect(lines.join()).not.toContain('\u001b');
  });

  test('states have colours, unless NO_COLOR says otherwise', async () => {
    const command = `${process.execPath} ${PLANT_INBOX} list --limit 1 --inbox ${inbox}`;
    const coloured = onTerminal(`env TERM=xterm ${command}`, 80);
    await coloured.exit;
    const plain = onTerminal(`env TERM=xterm NO_COLOR=1 ${command}`, 80);
    await plain.exit;

    expect(coloured.stdout).toContain('\u001b[33m20000  waiting');
    expect(plain.stdout).toMatch(/^20000 {2}waiting/m);
    expect(plain.stdout).not.toContain('\u001b');
  });

  test('long work shows how far it has come, and clears that at its end', async () => {
    const command = plantInboxOn(80, 'export', `${inbox}.exported`);
    expect(await command.exit).toMatchObject({ code: 0 });

    expect(command.stdout).toContain('\r\u001b[KExporting: 20,000 deliveries\r\u001b[K');
    expect(command.stdout.slice(command.stdout.lastIndexOf('\u001b'))).toBe(
      '\u001b[K20,000 deliveries exported.\r\n',
    );
  });

  test('Ctrl-C stops between two batches, and says how to go on', async () => {
    const file = `${inbox}.partial`;
    const command = plantInboxOn(200, 'export', file);
    await command.until(() => /Exporting/.exec(command.stdout) ?? undefined, 'a line of progress');
    command.type('\u0003');

    expect(await command.exit).toMatchObject({ code: 1 });
    expect(command.stdout).toMatch(
      /[\d,]+ deliver(y|ies) exported\. To go on, add --id \d+\.\.20000\.\r\n.*\.partial is partial\.\r\nplant-inbox: Interrupted\.\r\n$/,
    );
  });

  describe('a change asks before it begins', () => {
    let parked: string;
    beforeAll(async () => {
      const receiver = await startReceiver({ settings: poisonSettings, cleanUp: afterThisFile });
      parked = receiver.inbox;
      await sendAll(receiver, ['handled', 'throw an error']);
      await untilNothingWaits(parked);
      expect(await plantInbox('pause', '--inbox', parked)).toMatchObject({ code: 0 });
    });

    const QUESTION = 'Replay 1 parked delivery? [y/N] ';
    test.each<[string, string, string, number, string]>([
      ['replay', QUESTION, '\u0004', 1, 'Nothing was replayed.'],
      [
        'discard --state parked --reason arbitrary',
        'Delete for good the content of 1 parked delivery? [y/N] ',
        'n\n',
        1,
        'Nothing was discarded.',
      ],
      ['replay', QUESTION, 'y\n', 0, '1 delivery replayed.'],
    ])('%s: %s%j', async (args, question, answer, code, says) => {
      const command = onTerminal(`${process.execPath} ${PLANT_INBOX} ${args} --inbox ${parked}`, 80);
      await command.until(() => command.stdout.includes(question) || undefined, 'the question');
      command.type(answer);

      expect(await command.exit).toMatchObject({ code });
      expect(command.stdout).toContain(says);
    });
  });

  test('the bytes of a content are not written to it', async () => {
    const command = plantInboxOn(80, 'show', '1', '--raw');

    expect(await command.exit).toMatchObject({ code: 2 });
    expect(command.stdout).toContain('--raw writes to a file or a pipe, not to a terminal: add > FILE');
  });
});
