import type { Command } from 'commander';

import { InnerProcess, plantInbox } from '../../test/run-plant-inbox.js';
import { createProgram } from './plant-inbox.js';
import { Terminal } from './terminal.js';

const create = (): Command => createProgram(new Terminal(new InnerProcess()), {});

/** The program and its commands. */
const all = (program: Command): readonly Command[] => [program, ...program.commands];

/** What `--help` prints. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

test('no help text is wider than 80 columns', () => {
  const lines = all(create()).flatMap((command) => helpOf(command).split('\n'));

  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test.each([[['help']], [['help', 'list']], [['list', '--help']], [['--help']]])(
  '%j prints a help text',
  async (args) => {
    expect(await plantInbox(...args)).toMatchObject({
      ...{ code: 0, stderr: '' },
      stdout: expect.stringMatching(/^Usage: plant-inbox [^]*\nExamples:\n[^]*\nExit codes:\n/) as string,
    });
  },
);

test.each<[string, string[], string]>([
  ['an unknown command', ['repaly'], "unknown command 'repaly' (Did you mean replay?)"],
  ['help for an unknown command', ['help', 'repaly'], "unknown command 'repaly'"],
  ['an unknown option', ['list', '--stat'], "unknown option '--stat' (Did you mean --state?)"],
  ['an option of another command', ['list', '--yes'], "unknown option '--yes'"],
  [
    'an option twice',
    ['list', '--state', 'parked', '--state', 'parked'],
    "'--state <state>' is given twice.",
  ],
  ['an inbox twice', ['--inbox', 'a', 'list', '--inbox', 'a'], "'--inbox <url>' is given twice."],
  ['an output twice', ['stats', '-ojson', '--output=text'], "'-o, --output <format>' is given twice."],
  ['an option without its value', ['list', '--state'], "option '--state <state>' argument missing"],
  ['a format that is none', ['list', '-o', 'raw'], 'Allowed choices are text, json.'],
  ['an operand too many', ['list', '7'], "too many arguments for 'list'"],
  ['a wrong state', ['list', '--state', 'failed'], 'Allowed choices are waiting, running, retrying, handled'],
  ['a wrong time', ['list', '--since', 'yesterday'], "argument 'yesterday' is invalid. It must be a time"],
  ['wrong ids', ['list', '--id', '9..2'], "argument '9..2' is invalid. It must be an id or two"],
  ['a wrong limit', ['list', '--limit', '0'], 'It must be a whole number from 1 to 500.'],
  ['no id', ['show'], "missing required argument 'id'"],
  ['an id that is none', ['show', 'seven'], "id 'seven' is invalid. It must be"],
  [
    'ids and a choice',
    ['replay', '1', '--state', 'parked'],
    'Name deliveries by id or choose them with options',
  ],
  [
    'replay of what is deleted',
    ['replay', '--state', 'discarded'],
    'Allowed choices are retrying, parked, handled.',
  ],
  ['no reason', ['discard', '1'], '--reason is missing.'],
  ['a blank reason', ['discard', '1', '--reason', ' '], 'It must have from 1 to 1,000 characters.'],
  ['a text of nothing', ['search', ''], 'It must have from 1 to 200 characters.'],
  ['nothing to discard', ['discard', '--reason', 'a', '--yes'], 'Name deliveries by id, or choose them'],
  [
    'discard of what waits',
    ['discard', '--state', 'waiting', '--reason', 'a'],
    'Allowed choices are parked.',
  ],
  ['a backup without a file', ['backup'], "missing required argument 'file'"],
  ['a backup of a shared inbox', ['backup', 'copy', '--inbox', 'postgres://host/name'], 'use pg_dump'],
  [
    'an inbox that is no folder',
    ['list', '--inbox', 'file:'],
    'must be file: and a folder, as in file:./data',
  ],
])('%s is wrong usage', async (_name, args, says) => {
  const { code, stdout, stderr } = await plantInbox(...args);

  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^plant-inbox: .*\n$/);
  expect(stderr).toContain(says);
});

test('the version is no failure', async () => {
  expect(await plantInbox('--version')).toEqual({ code: 0, stdout: '0.0.0\n', stderr: '' });
});

test('the password of a database is in no message', async () => {
  const args = ['list', '--inbox', 'postgres://user:secret@/'];

  await expect(create().parseAsync(args, { from: 'user' })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.not.stringContaining('secret'),
  });
});
