import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

/**
 * Copies the files of an inbox as they are now, as if the process ended: into another folder, without its lock. Another
 * process copies them: whoever closes a file of a database takes away the locks that SQLite has on it in this process.
 */
export function copyInbox(folder: string): string {
  const copy = makeFolder();
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('receiver.lock'),
  );
  execFileSync('cp', [...files.map(({ name }) => join(folder, name)), copy]);
  return copy;
}
