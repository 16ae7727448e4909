import { makeFolder } from '@plant-store/test-support';

import { runCommand } from './inbox-command.js';

test.each<[string, string[], string]>([
  ['no command', [], 'the command is missing'],
  ['an unknown command', ['drop'], 'there is no command "drop"'],
  ['an unknown option', ['list', '--all'], '--all is not an option of list'],
  ['an option of another command', ['list', '--yes'], '--yes is not an option of list'],
  ['an option without its value', ['list', '--state'], '--state needs a value: --state STATE'],
  ['an option for a value', ['list', '--state', '--json'], '--state needs a value: --state STATE'],
  ['a switch with a value', ['list', '--json=1'], '--json takes no value'],
  ['an operand too many', ['list', '7'], 'list takes only options (got "7")'],
  [
    'a wrong state',
    ['list', '--state', 'failed'],
    '--state must be waiting, handled, parked or discarded (got "failed")',
  ],
  ['a wrong time', ['list', '--since', 'yesterday'], '--since must be a time, such as 2026-11-22'],
  [
    'times in the wrong order',
    ['list', '--since', '1h', '--before', '2h'],
    '--since must be earlier than --before',
  ],
  [
    'one time for both',
    ['list', '--since', '2026-01-31', '--before', '2026-01-31'],
    '--since must be earlier than --before',
  ],
  [
    'wrong ids',
    ['list', '--id', '9..2'],
    '--id must be an id or two, the smaller first, such as 7 or 5..90 (got "9..2")',
  ],
  ['a wrong limit', ['list', '--limit', '0'], '--limit must be a whole number from 1 to 100000 (got "0")'],
  ['no id', ['show'], 'show takes the id of one delivery'],
  ['an id that is none', ['show', 'seven'], '"seven" is not the id of a delivery'],
  ['two forms', ['show', '1', '--hex', '--json'], '--hex and --json exclude each other'],
  ['nothing to replay', ['replay'], 'name deliveries by id, or select them with options'],
  [
    'ids and a selection',
    ['replay', '1', '--all-parked'],
    'name deliveries by id or select them with options, not both',
  ],
  [
    'a selection in any state',
    ['replay', '--since', '1h'],
    'replay needs --all-parked or --state with a selection',
  ],
  [
    'replay of what is deleted',
    ['replay', '--state', 'discarded'],
    'discarded deliveries cannot be replayed: they are deleted',
  ],
  [
    'replay of what is handled, without --yes',
    ['replay', '--state', 'handled'],
    'without a terminal to ask, handled deliveries are only replayed with --yes',
  ],
  ['no reason', ['discard', '1'], 'discard needs --reason TEXT'],
  ['a blank reason', ['discard', '1', '--reason', ' '], '--reason must have from 1 to 1000 characters'],
  [
    'several without --yes',
    ['discard', '1', '2', '--reason', 'a'],
    'without a terminal to ask, more than one delivery is only discarded with --yes',
  ],
  [
    'discard of what waits',
    ['discard', '--state', 'waiting', '--yes', '--reason', 'a'],
    'only parked deliveries can be discarded, not --state waiting',
  ],
  [
    'the folder of an inbox as a file',
    ['export', 'FOLDER'],
    'FOLDER is a folder: name the inbox with --inbox FOLDER',
  ],
  [
    'the folder and a file',
    ['import', 'FOLDER', 'file'],
    'FOLDER is a folder: name the inbox with --inbox FOLDER',
  ],
  ['a backup without a file', ['backup'], 'backup needs the name of a new file'],
  ['a backup of a shared inbox', ['backup', 'copy', '--inbox', 'postgres://host/name'], 'use pg_dump'],
  ['two files', ['import', 'one', 'two'], 'import takes one file; name the inbox with --inbox'],
  [
    'an inbox that is no folder',
    ['list', '--inbox', 'file:'],
    '--inbox must be file: and a folder, as in file:./data/inbox',
  ],
])('%s is wrong usage', async (_name, args, says) => {
  const folder = makeFolder();
  const fill = (text: string): string => text.replaceAll('FOLDER', folder);

  await expect(runCommand(args.map(fill), {})).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(fill(says)),
  });
});
