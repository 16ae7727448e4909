// `nx run webhook:inspector`, and `npm start`: writes the inspector as one page. A slow link gets it in one response.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const INSPECTOR = join(PROJECT, 'inspector');
const OUTPUT = join(PROJECT, 'dist');

const { outputFiles } = await build({
  absWorkingDir: INSPECTOR,
  entryPoints: ['inspector.mjs', 'style.css'],
  outdir: '.',
  write: false,
  bundle: true,
  minify: true,
  format: 'esm',
  charset: 'utf8',
  plugins: [
    {
      // What the inspector shares with the command. Its name is that of the compiled file.
      name: 'sources',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\.\/src\/.*\.js$/ }, ({ path }) => ({
          path: join(INSPECTOR, path.replace(/js$/, 'ts')),
        })),
    },
  ],
});

const [script = '', style = ''] = outputFiles.map(({ text }) => text);
const html = readFileSync(join(INSPECTOR, 'index.html'), 'utf8')
  .replace(/<link rel="stylesheet".*>/, () => `<style>${style}</style>`)
  .replace(/<script .*(?=<\/script>)/, () => `<script type="module">${script}`);
mkdirSync(OUTPUT, { recursive: true });
writeFileSync(join(OUTPUT, 'inspector.html'), html);
cpSync(join(INSPECTOR, 'icon.svg'), join(OUTPUT, 'inspector.svg'));
