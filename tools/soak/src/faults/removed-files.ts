import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { type Fault, LOAD_TIME, untilRefused } from './fault.js';

const FILES = ['inbox.sqlite', 'inbox.sqlite-wal'];

/**
 * Somebody removes a file that the receiver has open, which it could go on writing to. It must notice, and refuse. The
 * file is put back, so that what was acknowledged before can be verified.
 */
export const removedFiles: readonly Fault[] = [
  {
    name: 'file of the inbox removed',
    on: 'fragile',
    mayStoreRefused: true,
    happen: async ({ subject, random }) => {
      await pause(random.integer(0, LOAD_TIME));
      const file = join(subject.inbox, random.pick(FILES));
      renameSync(file, `${file}.removed`);
      await untilRefused(subject);
      await subject.kill();
      renameSync(`${file}.removed`, file);
    },
  },
];
