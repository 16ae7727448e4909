import 'reflect-metadata';

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { createDocument } from './create-document.js';
import { formatDocument } from './format-document.js';

/** Writes the OpenAPI document to a file, or with `--check` fails if the file is not what would be written. */
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' } },
  allowPositionals: true,
});
const [file = 'openapi.json'] = positionals;
const document = formatDocument(await createDocument());

if (values.check !== true) {
  writeFileSync(file, document);
  process.stdout.write(`${file} written\n`);
} else if (read(file) === document) {
  process.stdout.write(`${file} is up to date\n`);
} else {
  process.stderr.write(`${file} is not what the decorators say. Mend it with: npx nx run webhook:openapi\n`);
  process.exitCode = 1;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
