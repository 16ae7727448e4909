import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

/** Copies the files of an inbox as they are now, as if the process ended: into another folder, without its lock. */
export function copyInbox(folder: string): string {
  const copy = makeFolder();
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('receiver.lock')) cpSync(join(folder, name), join(copy, name));
  }
  return copy;
}
