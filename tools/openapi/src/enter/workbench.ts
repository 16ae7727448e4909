import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Answers } from '@plant-store/contract';
import type { Source } from '../gate/read.js';
import { FILES, readSource } from '../repository.js';
import { ToolError } from '../tool-error.js';

/** The document, and the document without one answer, by question. */
export interface Documents {
  readonly document: Source;
  readonly without: ReadonlyMap<string, Source>;
}

/** The target of the application that writes its document. Nobody imports an application. */
const WRITE_DOCUMENT = 'apps/webhook/src/openapi/write-document.ts';

/** Runs a program from the sources of this repository, as the script `openapi` of package.json does. */
const FROM_SOURCES = ['--conditions', '@plant-store/source', '--import', 'tsx'];

/** Tells tsx that decorators are those of TypeScript. It leaves out their metadata, so what is injected has `@Inject`. */
const env = { TSX_TSCONFIG_PATH: 'apps/webhook/src/tsconfig.json' };

let evaluations = 0;

/** What answers.ts says now. This process runs from the sources too. @throws ToolError `bad-answers` */
export async function readAnswers(): Promise<Answers> {
  const url = pathToFileURL(resolve(FILES.answers));
  // A module is evaluated once for each address.
  evaluations += 1;
  url.searchParams.set('evaluation', String(evaluations));
  try {
    const { answers } = (await import(url.href)) as { answers: Answers };
    return answers;
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    throw new ToolError('bad-answers', `${FILES.answers}: ${line ?? ''}`, { cause: error });
  }
}

/** The documents of what answers.ts says now. @throws ToolError `bad-answers` */
export function makeDocuments(): Documents {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const [file, without] = [join(folder, 'openapi.json'), join(folder, 'without')];
    const args = [...FROM_SOURCES, WRITE_DOCUMENT, file, '--without', without];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    if (status !== 0) throw new ToolError('bad-answers', stderr.trim());
    return { document: { ...readSource(file), file: FILES.document }, without: readWithout(without) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The documents of a folder, by the question whose answer each lacks. */
export function readWithout(folder: string | undefined): ReadonlyMap<string, Source> {
  if (folder === undefined || !existsSync(folder)) return new Map();
  return new Map(
    readdirSync(folder).map((name) => [basename(name, '.json'), readSource(join(folder, name))]),
  );
}
