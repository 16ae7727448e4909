import 'reflect-metadata';

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { answers, type Executable, executableOf } from '@plant-store/contract';

import { composeAnswers } from '../answers/compose-answers.js';
import { documentPartsOf, documentTable } from '../answers/document-table.js';
import { ReceiverError } from '../errors.js';
import { createDocument, DocumentError, formatDocument } from './create-document.js';

/**
 * Writes the OpenAPI document to a file. With `--check` it compares the file with the document instead. With
 * `--without FOLDER` it also writes the document without one answer to `FOLDER/<question>.json`, for each answer that
 * may show in the document.
 */
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, without: { type: 'string' } },
  allowPositionals: true,
});
const [file = 'openapi.json'] = positionals;

try {
  const composed = composeAnswers(answers);
  const document = formatDocument(await createDocument(composed));
  if (values.without !== undefined) await writeDocumentsWithout(values.without, composed.path);
  if (values.check !== true) {
    writeFileSync(file, document);
    process.stdout.write(`${file} written\n`);
  } else if (read(file) === document) {
    process.stdout.write(`${file} is up to date\n`);
  } else {
    fail(`${file} differs from the decorators. Fix with: npx nx run webhook:openapi`);
  }
} catch (error) {
  if (!(error instanceof ReceiverError || error instanceof DocumentError)) throw error;
  fail(error.message);
}

/** The answers that are left need not fit each other, so nothing but the document is made from them. */
async function writeDocumentsWithout(folder: string, path: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const carried: Executable = executableOf(answers);
  for (const id of Object.keys(documentTable).filter((question) => question in carried)) {
    const rest: Executable = Object.fromEntries(
      Object.entries(carried).filter(([question]) => question !== id),
    );
    const document = await createDocument({ path, document: documentPartsOf(rest) });
    writeFileSync(join(folder, `${id}.json`), formatDocument(document));
  }
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
