/**
 * `node tools/workspace/review.mjs --base REVISION [--format markdown|github] [--all]`: what the reviewer of a change
 * has to know about answers and the OpenAPI document, as a page in Markdown or as annotations for GitHub. Prints
 * nothing when there is nothing to tell.
 *
 * Findings and breaking changes don't fail it: the gate `openapi-diff` fails for findings, and a person decides about
 * breaking changes. Exits with 2 if it could not run.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { answerChanges, statedAnswers } from './answer-changes.js';
import { annotations } from './annotations.js';
import { describeChange, type PlainAccepts } from './describe-change.js';
import { type Base, fileAt, findBase, label } from './base.js';
import { changedLines } from './changed-lines.js';
import {
  type ChangesReport,
  type GateReport,
  openapi,
  type Printed,
  writeDocumentsWithout,
} from './openapi.js';
import { MAX_PAGE, renderReview } from './page.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const DOCUMENT = 'apps/webhook/openapi.json';
const OVERLAY = 'libs/contract/spec/answers.overlay.yaml';
const ANSWERS = 'tools/openapi/dist/answers.json';
const WITHOUT = 'apps/webhook/dist/without';
const SOURCES = 'apps/webhook/openapi.sources.json';

/** What a document says that says nothing. */
const EMPTY = '{ "openapi": "3.1.0", "info": { "title": "", "version": "" } }';

try {
  process.stdout.write(review());
} catch (error) {
  process.stderr.write(`review: ${(error as Error).message}\n`);
  process.exitCode = 2;
}

function review(): string {
  const { base: reference, format, all } = readArguments();
  const base = findBase(reference, ROOT);
  if (openapi(ROOT, 'answers', '--output', ANSWERS).found)
    throw new Error(
      'answers.ts or accepts.ts of libs/contract/src has faults: node tools/openapi/dist/cli.js answers',
    );
  writeDocumentsWithout(ROOT, WITHOUT);

  const now = statedAnswers(readIfThere(join(ROOT, OVERLAY)));
  const before = statedAnswers(fileAt(base, OVERLAY, ROOT));
  const { accepts } = JSON.parse(readIfThere(join(ROOT, ANSWERS))) as { accepts: PlainAccepts };
  const answers = answerChanges(before, now).map((change) => describeChange(change, now, accepts));
  if (format === 'github') {
    return annotations({
      answers,
      gate: JSON.parse(gate('json').text) as GateReport,
      document: JSON.parse(changes(base, 'json').text) as ChangesReport,
      isChanged: changedLines(base, ROOT),
    });
  }
  const { found, text } = gate('markdown');
  const page = {
    base: base.revision && label(reference),
    note: base.note,
    answers,
    changes: changes(base, 'markdown').text,
    findings: found ? text : '',
    command: `node tools/workspace/review.mjs --base ${reference} --all`,
  };
  return renderReview(page, all ? Infinity : MAX_PAGE);
}

/** The gate's report. */
function gate(format: string): Printed {
  return openapi(
    ROOT,
    ...['diff', '--baseline', 'libs/contract/spec/plant-store.openapi.yaml', '--document', DOCUMENT],
    ...['--overlay', OVERLAY, '--answers', ANSWERS, '--without', WITHOUT, '--sources', SOURCES],
    ...['--fix-with', 'npx nx run webhook:openapi', '--format', format],
  );
}

/** The changes of the document since the base. A base without a document has an empty one. */
function changes(base: Base, format: string): Printed {
  const folder = mkdtempSync(join(tmpdir(), 'review-'));
  try {
    const before = join(folder, 'openapi.json');
    writeFileSync(before, fileAt(base, DOCUMENT, ROOT) ?? EMPTY);
    return openapi(ROOT, 'changes', before, DOCUMENT, '--sources', SOURCES, '--format', format);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readArguments(): { base: string; format: string; all: boolean } {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      format: { type: 'string', default: 'markdown' },
      all: { type: 'boolean', default: false },
    },
  });
  const { base, format } = values;
  if (!base) throw new Error('--base is missing');
  if (!['markdown', 'github'].includes(format)) throw new Error('--format must be markdown or github');
  return { ...values, base };
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
