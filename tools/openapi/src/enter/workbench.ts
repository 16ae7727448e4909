import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Answers } from '@plant-store/contract';
import { type Source } from '../gate/read.js';
import { FILES } from '../repository.js';
import { ToolError } from '../tool-error.js';

/** Evaluates what answers.ts says now. */
export interface Workbench {
  readonly readAnswers: () => Promise<Answers>;
  readonly makeDocuments: () => Promise<Documents>;
}

/** The document, and the document without one answer, by question. */
export interface Documents {
  readonly document: Source;
  readonly without: ReadonlyMap<string, Source>;
}

/** The target of the application that writes its document. Nobody imports an application. */
const WRITE_DOCUMENT = 'apps/webhook/src/openapi/write-document.ts';

let evaluations = 0;

/** From the sources of this repository, which is the working directory. This process runs from its sources too. */
export const sourceWorkbench: Workbench = {
  async readAnswers() {
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
  },
  makeDocuments() {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      const without = join(folder, 'without');
      const args = [...process.execArgv, WRITE_DOCUMENT, file, '--without', without];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (status !== 0) throw new ToolError('bad-answers', stderr.trim());
      const read = (path: string): Source => ({ text: readFileSync(path, 'utf8'), file: FILES.document });
      const rests = readdirSync(without).map(
        (name) => [basename(name, '.json'), read(join(without, name))] as const,
      );
      return Promise.resolve({ document: read(file), without: new Map(rests) });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
