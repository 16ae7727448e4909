import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@plant-store/test-support';

const library = fileURLToPath(new URL('..', import.meta.url));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

test('the tarball has these files and no others, and publint finds nothing', () => {
  const folder = makeFolder();
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const output = execFileSync('npm', args, { cwd: library, encoding: 'utf8' });
  const [{ filename, files }] = JSON.parse(output) as [Packed];

  const modules = readdirSync(join(library, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.slice(0, -3));
  const compiled = modules.flatMap((module) => [
    `src/${module}.ts`,
    ...['d.ts', 'd.ts.map', 'js', 'js.map'].map((extension) => `dist/${module}.${extension}`),
  ]);
  const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/plant-store.js', 'package.json'];
  expect(files.map(({ path }) => path).toSorted()).toEqual([...compiled, ...others].toSorted());

  const publint = join(library, '../../node_modules/publint/src/cli.js');
  const found = execFileSync(process.execPath, [publint, 'run', join(folder, filename), '--strict'], {
    encoding: 'utf8',
  });
  expect(found).toContain('All good!');
});
