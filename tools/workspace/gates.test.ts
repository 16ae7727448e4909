import { readFileSync } from 'node:fs';
import { gates } from './gates.mjs';

test('CONTRIBUTING.md has a row for each gate, with the command that fixes it', () => {
  const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const rows = Array.from(page.matchAll(/^\| `([\w-]+)` +\|[^|]*\| *(?:`([^`]+)`)?/gm), ([, name, fix]) => ({
    name,
    fix,
  }));
  expect(rows).toEqual(gates.flat().map(({ name, fix }) => ({ name, fix })));
});
