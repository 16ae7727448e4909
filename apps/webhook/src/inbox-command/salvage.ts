import { inboxFolder } from '../config/inbox-folder.js';
import { requireUnused } from '../inbox/open-database.js';
import { type IdRange, salvage as readFiles, type SalvagedState } from '../inbox/salvage/salvage.js';
import { type Command, CommandError, type Given, wrongUsage } from './command-line.js';
import { fileOf } from './export.js';
import { createFile, report, standardOutput } from './terminal/output.js';
import { jsonLine } from './terminal/printable.js';

/** Characters of one write. */
const WRITE = 1_048_576;

/** Most ranges of ids that are listed. */
const MAX_RANGES = 20;

export const salvage: Command = {
  operands: '[FILE]',
  summary: 'Exports what can be read of a damaged inbox.',
  details: `Stop the receiver before. The files of the inbox are read page by page, without
SQLite, and stay as they are. Each line is one delivery, as with export. The exit
code is 1 if deliveries are missing that weren't handled.`,
  options: [],
  async run(given) {
    const file = fileOf('salvage', given);
    const folder = folderOf(given);
    requireUnused(folder);
    const salvaged = readFiles(folder);
    if (salvaged === undefined)
      throw new CommandError(`${folder} has no inbox: neither inbox.sqlite nor inbox.sqlite-wal is there`, 1);
    const counts: Record<SalvagedState, number> = {
      handled: 0,
      waiting: 0,
      parked: 0,
      discarded: 0,
      unknown: 0,
    };
    try {
      const output = file === undefined ? standardOutput : await createFile(file);
      let lines = '';
      for (const delivery of salvaged.deliveries) {
        lines += jsonLine(delivery);
        counts[delivery.state] += 1;
        if (lines.length < WRITE) continue;
        await output.write(lines);
        lines = '';
      }
      await output.write(lines);
      await output.close();
    } finally {
      salvaged.close();
    }
    const { handled, unhandled } = salvaged.missing();
    report(`deliveries exported: ${sum(counts)} (${list(counts)}).`);
    if (handled > 0) report(`handled deliveries that were deleted or can't be read: ${handled}.`);
    if (unhandled.length === 0) return 0;
    const count = unhandled.reduce((total, [first, last]) => total + last - first + 1, 0);
    report(`other deliveries that can't be read: ${count} (${ids(unhandled)}).`);
    return 1;
  },
};

function folderOf({ inbox }: Given): string {
  if (!inbox.startsWith('file:'))
    throw wrongUsage('salvage reads the files of an embedded inbox: --inbox must be a folder');
  return inboxFolder(inbox);
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, one) => total + one, 0);

const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

function ids(ranges: readonly IdRange[]): string {
  const shown = ranges
    .slice(0, MAX_RANGES)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  return [...shown, ...(ranges.length > MAX_RANGES ? ['and more'] : [])].join(', ');
}
