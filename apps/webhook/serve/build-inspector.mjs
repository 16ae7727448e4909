// `nx run webhook:inspector`, and `npm start`: writes what the pages of the inspector load: script, style and icon.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(PROJECT, 'dist');

await build({
  absWorkingDir: join(PROJECT, 'inspector'),
  entryPoints: { inspector: 'script.ts' },
  outdir: OUTPUT,
  bundle: true,
  minify: true,
  format: 'esm',
  charset: 'utf8',
});
await build({
  absWorkingDir: join(PROJECT, 'inspector'),
  entryPoints: { inspector: 'style.css' },
  outdir: OUTPUT,
  minify: true,
  charset: 'utf8',
});
cpSync(join(PROJECT, 'inspector/icon.svg'), join(OUTPUT, 'inspector.svg'));
