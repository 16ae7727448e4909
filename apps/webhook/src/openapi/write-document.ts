import 'reflect-metadata';

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { answers } from '@plant-store/contract';

import { composeAnswers } from '../answers/compose-answers.js';
import { ReceiverError } from '../errors.js';
import { createDocument, formatDocument } from './create-document.js';

/** Writes the OpenAPI document to a file. With `--check` it compares the file with the document instead. */
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' } },
  allowPositionals: true,
});
const [file = 'openapi.json'] = positionals;

try {
  const document = formatDocument(await createDocument(composeAnswers(answers)));
  if (values.check !== true) {
    writeFileSync(file, document);
    process.stdout.write(`${file} written\n`);
  } else if (read(file) === document) {
    process.stdout.write(`${file} is up to date\n`);
  } else {
    fail(`${file} differs from the decorators. Fix with: npx nx run webhook:openapi`);
  }
} catch (error) {
  if (!(error instanceof ReceiverError)) throw error;
  fail(error.message);
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
