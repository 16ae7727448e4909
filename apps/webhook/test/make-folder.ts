import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterThisTest } from './teardown.js';

/** Creates a folder that is removed after the current test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
