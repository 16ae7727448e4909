import 'reflect-metadata';

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import {
  type Answers,
  answers,
  type AnswerValues,
  isSchema,
  jsonSchemaOf,
  valuesOf,
} from '@plant-store/contract';
import { answerFaults } from '@plant-store/contract/check';

import { composeAnswers } from '../answers/compose-answers.js';
import { type Places, placesOf } from '../answers/document-places.js';
import { ReceiverError } from '../errors.js';
import { createDocument, DocumentError, formatDocument } from './create-document.js';

/**
 * Writes the OpenAPI document to openapi.json, and the ledger of the answers beside it to answers.json. With `--check` it
 * compares the files with them instead. With `--print` it prints both as JSON, and the document without any answer: that
 * is what the gate compares.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean' }, print: { type: 'boolean' } } });

try {
  const faults = answerFaults(answers, new Date());
  if (faults.length > 0)
    throw new ReceiverError(
      'ANSWERS_INVALID',
      faults.map((fault) => `libs/contract/src/answers.ts: ${fault}`).join('\n'),
    );
  const carried: AnswerValues = valuesOf(answers);
  const document = formatDocument(await createDocument(composeAnswers(carried)));
  const ledger = formatDocument(ledgerOf(answers, placesOf(carried)));
  if (values.print === true) {
    const open = formatDocument(await createDocument(composeAnswers({})));
    process.stdout.write(JSON.stringify({ open, document, ledger }));
  } else {
    const files = { 'openapi.json': document, 'answers.json': ledger };
    for (const [file, text] of Object.entries(files)) (values.check === true ? check : write)(file, text);
  }
} catch (error) {
  if (!(error instanceof ReceiverError || error instanceof DocumentError)) throw error;
  fail(error.message);
}

/** Each answer as JSON, with who gave it, and where it shows in the document. */
function ledgerOf(given: Answers, places: Places): Record<string, unknown> {
  const entries = Object.entries(given).map(([id, answer]) => {
    const { is } = answer;
    const value = isSchema(is) ? jsonSchemaOf(is) : is;
    const { [id as keyof Places]: shown = [] } = places;
    return [id, { ...answer, ...(is !== undefined && { is: value, places: shown }) }];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function write(file: string, text: string): void {
  const isSame = read(file) === text;
  if (!isSame) writeFileSync(placeOf(file), text);
  process.stdout.write(`${file}: ${isSame ? 'unchanged' : 'written'}\n`);
}

function check(file: string, text: string): void {
  if (read(file) === text) process.stdout.write(`${file} is up to date\n`);
  else fail(`${file} differs from the decorators and the answers. Fix with: npx nx run webhook:openapi`);
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(placeOf(file), 'utf8');
  } catch {
    return undefined;
  }
}

/** In the folder of the application. */
function placeOf(file: string): URL {
  return new URL(`../../${file}`, import.meta.url);
}
