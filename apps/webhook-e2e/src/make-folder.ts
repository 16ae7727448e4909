import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterThisTest, type TearDown } from './teardown.js';

/** Makes a folder of its own for a test. */
export function makeFolder(tearDown: TearDown = afterThisTest): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  tearDown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
