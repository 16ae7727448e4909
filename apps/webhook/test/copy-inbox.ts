import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

/** Copies the files of an inbox as they are now, as if the process ended: into another folder, without its lock. */
export function copyInbox(folder: string): string {
  const copy = makeFolder();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!name.startsWith('receiver.lock') && entry.isFile()) cpSync(join(folder, name), join(copy, name));
  }
  return copy;
}
