import { fileURLToPath } from 'node:url';

import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';

import { PLANT_INBOX, resultOf } from '../support/plant-inbox.js';
import { poisonSettings, sendAll, untilNothingWaits } from '../support/poison.js';
import { TestProcess } from '../support/process.js';
import { everythingOpen, startReceiver } from '../support/receiver.js';

const PLANT_STORE = fileURLToPath(new URL('../../../libs/cli/bin/plant-store.js', import.meta.url));

/** For the handler that fails, and for a terminal. */
const CONTENT = 'throw an error \u001b[2J\nend';

interface Command {
  (...args: readonly string[]): Promise<string>;
  /** The same command, with more in its environment. */
  readonly with: (more: object) => Command;
}

function commandOf(args: readonly string[], environment: object): Command {
  const run = async (...more: readonly string[]): Promise<string> => {
    const { code, stdout } = await runIn(environment, ...args, ...more);
    expect(code).toBe(0);
    return stdout;
  };
  return Object.assign(run, { with: (more: object) => commandOf(args, { ...environment, ...more }) });
}

/** A delivery that the receiver has parked. */
async function plantInbox(): Promise<Command> {
  const receiver = await startReceiver({ settings: poisonSettings });
  await sendAll(receiver, [CONTENT]);
  await untilNothingWaits(receiver.inbox);
  return commandOf([PLANT_INBOX], { INBOX_URL: `file:${receiver.inbox}` });
}

/** An entry that a relay has parked. */
async function outbox(): Promise<Command> {
  const server = await postgresOfThisFile();
  const url = await server.createDatabase();
  const command = commandOf([PLANT_STORE, 'outbox'], { PLANT_STORE_OUTBOX_URL: url });
  await command('migrate');
  const hex = Buffer.from(CONTENT).toString('hex');
  await server.query(
    `BEGIN; CALL plant_store_outbox.enqueue('\\x${hex}', 'text/plain', NULL); COMMIT;
    UPDATE plant_store_outbox.entry SET state = 'parked', settled_at = now(), attempts = 3, outcome = 'unknown',
    code = 'EXAMPLE', error = 'arbitrary'`,
    new URL(url).pathname.slice(1),
  );
  return command;
}

const HOUSE: readonly [command: string, args: readonly string[], subcommand: string][] = [
  [PLANT_INBOX, [], 'list'],
  [PLANT_STORE, [], 'relay'],
  [PLANT_STORE, ['outbox'], 'list'],
];

const runIn = (environment: object, ...args: readonly string[]): ReturnType<typeof resultOf> =>
  resultOf(
    new TestProcess([process.execPath, ...args], { environment: { ...everythingOpen, ...environment } }),
  );

describe.each(HOUSE)('%s %j', (command, args, subcommand) => {
  test('has the layout of help, the exit codes and the sub-command help of its house', async () => {
    const helpOf = async (...more: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runIn({}, command, ...args, ...more);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };

    const help = await helpOf('--help');
    expect(help.match(/^\w[\w ]*:/gm)).toEqual([
      'Usage:',
      'Options:',
      'Commands:',
      'Examples:',
      'Exit codes:',
    ]);
    expect(help).toMatch(/\n {2}help +print the help of a command\n/);
    const exitCodes = help.slice(help.indexOf('Exit codes:'));
    expect(exitCodes).toBe(`Exit codes:
  0  done
  1  failed, or done in part: standard error says why
  2  the command line, an input or a setting is wrong; nothing was done
  5  the command cannot run: it is not compiled, or Node.js is too old
`);
    expect(await helpOf('help')).toBe(help);
    const ofOne = await helpOf('help', subcommand);
    expect(ofOne).toBe(await helpOf(subcommand, '--help'));
    expect(ofOne.match(/^(Options|Examples|Exit codes):/gm)).toEqual([
      'Options:',
      'Examples:',
      'Exit codes:',
    ]);
    expect(ofOne).toContain(exitCodes);
    expect(await runIn({}, command, ...args, 'lits')).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringMatching(/^plant-\w+: unknown command 'lits'.*\n$/) as string,
    });
  });
});

test('plant-inbox and plant-store are completed in the same way', async () => {
  const script = async (command: string, shell: string): Promise<string> =>
    (await runIn({}, command, 'completion', shell)).stdout.replaceAll(
      /plant([-_])(inbox|store)/g,
      'plant$1x',
    );

  for (const shell of ['bash', 'zsh', 'fish']) {
    expect(await script(PLANT_INBOX, shell)).toBe(await script(PLANT_STORE, shell));
    expect(await script(PLANT_INBOX, shell)).toContain('completion --words');
  }
});

withPostgres('plant-inbox and plant-store outbox', () => {
  test('look like tools of one house', async () => {
    for (const [command, time, more] of [
      [await plantInbox(), 'RECEIVED', 'ERROR OR REASON'],
      [await outbox(), 'ENQUEUED', 'OUTCOME  ERROR'],
    ] as const) {
      const [headings, row] = (await command('list')).split('\n');
      expect(headings).toBe(`ID  STATE   ${time}              BYTES  ATTEMPTS  ${more}`);
      expect(row).toMatch(/^ 1 {2}parked {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {5}23 {9}3 {2}\w/);

      const coloured = await command.with({ FORCE_COLOR: '1' })('list');
      expect(coloured).toBe(`${headings}\n${row!.replace('parked', '\u001b[31mparked\u001b[39m')}\n`);

      const shown = await command('show', '1');
      expect(shown).toMatch(
        /^id {10}1\n(?:key {9}[-\da-f]{36}\n)?state {7}parked\n\w+ {4}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\nattempts {4}3\n/,
      );
      expect(shown).toMatch(/\n\nthrow an error \\u001b\[2J\nend\n$/);

      const entry = { id: 1, state: 'parked', bytes: 23, attempts: 3 };
      const listed = await command('list', '-o', 'json');
      expect(listed).toMatch(/^\{"id":1,.*\}\n$/);
      expect(JSON.parse(listed)).toMatchObject(entry);
      const content = Buffer.from(CONTENT).toString('base64');
      expect(JSON.parse(await command('show', '1', '--output=json'))).toMatchObject({ ...entry, content });
      expect(await command('show', '1', '-o', 'raw')).toBe(CONTENT);
    }
  });
});
