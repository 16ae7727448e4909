import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Source } from './gate/facts.js';
import type { Ledger } from './ledger.js';
import { systemReason, ToolError } from './tool-error.js';

/** The files of this repository that the tool reads, relative to its root. */
export const FILES = {
  baseline: 'libs/contract/spec/plant-store.openapi.yaml',
  answers: 'libs/contract/src/answers.ts',
  examples: 'libs/example-answers/src/example-answers.ts',
  document: 'apps/webhook/openapi.json',
  ledger: 'apps/webhook/answers.json',
};

/** @throws ToolError `unreadable` */
export function readSource(file: string): Source {
  try {
    return { text: readFileSync(file, 'utf8'), file };
  } catch (error) {
    throw new ToolError('unreadable', `${file}: cannot be read: ${systemReason(error)}`, { cause: error });
  }
}

/** A file, or nothing if there is none. @throws ToolError `unreadable` */
export function readIfThere(file: string): Source | undefined {
  return existsSync(file) ? readSource(file) : undefined;
}

/** What the pages are made from. */
export interface Sources {
  /** The text of the document with the answers. */
  readonly document: string;
  readonly ledger: Ledger;
}

/** What is in the working tree now. @throws ToolError `unreadable` or `syntax` */
export function committedSources(): Sources {
  return { document: readSource(FILES.document).text, ledger: readLedger(readSource(FILES.ledger)) };
}

/** @throws ToolError `syntax` */
export function readLedger({ text, file }: Source): Ledger {
  try {
    return JSON.parse(text) as Ledger;
  } catch (error) {
    throw new ToolError('syntax', `${file}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Writes a file whole: it has the old text or the new one, also after a full disk.
 *
 * @throws ToolError `unwritable`
 */
export function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(fresh, text);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new ToolError('unwritable', `${file}: cannot be written: ${systemReason(error)}`, { cause: error });
  }
}

/** Both documents of the application as its decorators have them now. */
export interface Documents {
  /** Without any answer. */
  readonly open: string;
  /** With those that are entered. */
  readonly document: string;
  /** The text of the ledger. */
  readonly ledger: string;
}

/** The program of the application that writes its document. Nobody imports an application. */
const WRITE_DOCUMENT = 'apps/webhook/src/openapi/write-document.ts';

/** The options of the application's compiler, which its decorators need. */
const TSCONFIG = 'apps/webhook/src/tsconfig.json';

const TSX = 'node_modules/tsx/dist/cli.mjs';

/** @throws ToolError `bad-answers` with every fault of the answers, or what keeps the document from being made */
export function makeDocuments(): Promise<Documents> {
  return new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [TSX, '--tsconfig', TSCONFIG, '--conditions', '@plant-store/source', WRITE_DOCUMENT, '--print'],
      { maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Documents);
        else reject(new ToolError('bad-answers', stderr.trim() || error.message, { cause: error }));
      },
    ),
  );
}
