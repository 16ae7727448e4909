import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { makeFolder } from '@plant-store/test-support';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** Version of the tables of the built receiver, and of the next one. */
export const VERSION = 11;
const NEXT = VERSION + 1;

/** Builds a receiver whose tables are of the next version. Returns its main file. */
export function buildNextVersion(): string {
  const copy = makeFolder();
  for (const part of ['dist', 'migrations', 'package.json'])
    cpSync(join(REPOSITORY, 'apps/webhook', part), join(copy, 'apps/webhook', part), { recursive: true });
  symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(
    join(copy, `apps/webhook/migrations/sqlite-${NEXT}.sql`),
    'ALTER TABLE inbox_state ADD COLUMN later INTEGER',
  );
  return join(copy, 'apps/webhook/dist/main.js');
}
