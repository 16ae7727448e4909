import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { format, resolveConfig } from 'prettier';

import { renderMatrix } from './render-matrix.js';

/** Writes the page to a file. With `--check` it writes nothing, and fails if the file differs or is missing. */
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' } },
  allowPositionals: true,
});
const [file = 'docs/answers.md'] = positionals;
const page = await format(renderMatrix(), { ...(await resolveConfig(file)), parser: 'markdown' });

if (values.check !== true) {
  writeFileSync(file, page);
  process.stdout.write(`${file}: written\n`);
} else if (!existsSync(file)) {
  fail('missing');
} else if (readFileSync(file, 'utf8') === page) {
  process.stdout.write(`${file}: up to date\n`);
} else {
  fail('differs from what tools/answers/src says');
}

function fail(fault: string): void {
  process.stderr.write(`${file}: ${fault}. Write it with: npx nx run answers:page\n`);
  process.exitCode = 1;
}
