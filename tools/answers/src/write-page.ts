import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { format, resolveConfig } from 'prettier';

import { renderMatrix } from './matrix/render-matrix.js';

/** Writes the page to a file, or with `--check` fails if the file is not what would be written. */
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' } },
  allowPositionals: true,
});
const [file = 'docs/answers.md'] = positionals;
const page = await format(renderMatrix(), { ...(await resolveConfig(file)), parser: 'markdown' });

if (values.check !== true) {
  writeFileSync(file, page);
  process.stdout.write(`${file} written\n`);
} else if (readFileSync(file, 'utf8') === page) {
  process.stdout.write(`${file} is up to date\n`);
} else {
  process.stderr.write(`${file} is not what the matrix says. Mend it with: npx nx run answers:page\n`);
  process.exitCode = 1;
}
