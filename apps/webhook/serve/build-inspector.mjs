// `nx run webhook:inspector`, and `npm start`: writes what the pages of the inspector load: script, style and icon.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(PROJECT, 'dist');

await build({
  absWorkingDir: join(PROJECT, 'inspector'),
  entryPoints: ['script.ts', 'style.css'].map((source) => ({ in: source, out: 'inspector' })),
  outdir: OUTPUT,
  bundle: true,
  minify: true,
  format: 'esm',
  charset: 'utf8',
});
cpSync(join(PROJECT, 'inspector/icon.svg'), join(OUTPUT, 'inspector.svg'));
