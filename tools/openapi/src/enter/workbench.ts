import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Answers } from '@plant-store/contract';
import { FILES } from '../repository.js';
import { ToolError } from '../tool-error.js';

/** Evaluates what answers.ts says now. */
export interface Workbench {
  readonly readAnswers: () => Promise<Answers>;
  readonly makeDocuments: () => Promise<Documents>;
}

/** The texts of the document, and of the document without one answer, by question. */
export interface Documents {
  readonly document: string;
  readonly without: Readonly<Record<string, string>>;
}

/** The target of the application that writes its document. Nobody imports an application. */
const WRITE_DOCUMENT = 'apps/webhook/src/openapi/write-document.ts';

/** From the sources of this repository, which is the working directory. This process runs from its sources too. */
export const sourceWorkbench: Workbench = {
  async readAnswers() {
    const url = pathToFileURL(resolve(FILES.answers));
    // A module is evaluated once for each address.
    url.searchParams.set('text', readFileSync(FILES.answers, 'base64url').slice(-2_000));
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
      const rests = readdirSync(without).map((name) => [
        basename(name, '.json'),
        readFileSync(join(without, name), 'utf8'),
      ]);
      return Promise.resolve({
        document: readFileSync(file, 'utf8'),
        without: Object.fromEntries(rests) as Record<string, string>,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
