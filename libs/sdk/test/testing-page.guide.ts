/** Runs the example of docs/testing.md. */
import { join } from 'node:path';
import { withEverythingOpen, writeDocumented } from './support/documented.js';
import { startProcess } from './support/run-process.js';

test('the documented test passes', async () => {
  const folder = writeDocumented('docs/testing.md');
  const test = startProcess(process.execPath, withEverythingOpen(join(folder, 'store.test.mjs')));

  const { code, stdout } = await test.finished;
  expect(stdout).toMatch(/^[#ℹ] pass 2$/m);
  expect(code).toBe(0);
});
