import { existsSync } from 'node:fs';

import { inboxFolder } from '../config/inbox-folder.js';
import { ReceiverError } from '../errors.js';
import { backUp, requireUndamaged } from '../inbox/back-up.js';
import { type Command, type Given, wrongUsage } from './command-line.js';
import { requireEmbeddedInbox } from './connection/open-operations.js';
import { fileOf } from './export.js';
import { OutputError, standardOutput } from './terminal/output.js';

export const backup: Command = {
  operands: 'FILE',
  summary: 'Copies the inbox into one new file, also while the receiver runs.',
  details: `The file has everything that was acknowledged before, and only its owner may read it.
To restore it, stop the receiver, put the file as inbox.sqlite into an empty folder,
set INBOX_URL to the folder, and start the receiver.`,
  options: [],
  async run(given) {
    const file = fileOf('backup', given);
    if (file === undefined) throw wrongUsage('backup needs the name of a new file');
    const folder = embeddedFolder(given, 'backup copies an embedded inbox: for this one, use pg_dump');
    const bytes = copyTo(folder, file);
    await standardOutput.write(`The inbox is copied to ${file}: ${bytes.toLocaleString('en-US')} bytes.\n`);
    return 0;
  },
};

export const check: Command = {
  operands: '',
  summary: 'Looks for damage in the files of the inbox.',
  details: `It reads the whole file; the receiver may be running. The exit code is 1 if something
is damaged: restore a backup then. It doesn't notice other bytes in a content.`,
  options: [],
  async run(given) {
    const folder = embeddedFolder(
      given,
      'check reads the files of an embedded inbox: for this one, use pg_amcheck',
    );
    requireUndamaged(folder);
    await standardOutput.write('No damage was found.\n');
    return 0;
  },
};

function embeddedFolder({ inbox }: Given, ifShared: string): string {
  if (!inbox.startsWith('file:')) throw wrongUsage(ifShared);
  const folder = inboxFolder(inbox);
  requireEmbeddedInbox(folder);
  return folder;
}

function copyTo(folder: string, file: string): number {
  // Known before everything is copied.
  if (existsSync(file)) throw new OutputError(file, { code: 'EEXIST' });
  try {
    return backUp(folder, file);
  } catch (cause) {
    throw cause instanceof ReceiverError ? cause : new OutputError(file, cause);
  }
}
