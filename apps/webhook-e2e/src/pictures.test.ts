import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from '@plant-store/test-support';

import { ROOT } from '../support/development.js';

test('pictures-check fails if the inspector or a picture has changed since the pictures were made', () => {
  const written = readFileSync(join(ROOT, 'docs/images/made-from.txt'), 'utf8');
  const file = join(makeFolder(), 'made-from.txt');
  writeFileSync(file, written.replace(/^[0-9a-f]{9}(?=.*inspector(\.css|-dark\.png)$)/gm, '012345678'));

  const gate = ['--import', 'tsx', 'apps/webhook-e2e/browser/made-from.ts', file];
  const { status, stderr } = spawnSync(process.execPath, gate, { cwd: ROOT, encoding: 'utf8' });

  expect(status).toBe(1);
  expect(stderr).toMatch(
    / are old: .*inspector\.css, .*inspector-dark\.png.* changed after they were made\.\nFix with: /,
  );
});
