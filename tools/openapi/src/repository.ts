import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readText } from './gate/read.js';
import type { Source } from './gate/gate.js';
import { ToolError } from './tool-error.js';

/** The files of this repository that the tool reads and writes, relative to its root. */
export const FILES = {
  baseline: 'libs/contract/spec/plant-store.openapi.yaml',
  overlay: 'libs/contract/spec/answers.overlay.yaml',
  answers: 'libs/contract/src/answers.ts',
  document: 'apps/webhook/openapi.json',
  sources: 'apps/webhook/openapi.sources.json',
};

/** The command that writes the document. */
export const GENERATE_DOCUMENT = 'npx nx run webhook:openapi';

/** A file, or nothing if there is none. @throws ToolError `unreadable` */
export function readIfThere(file: string): Source | undefined {
  return existsSync(file) ? readSource(file) : undefined;
}

/** @throws ToolError `unreadable` */
export function readSource(file: string): Source {
  return { text: readText(file), file };
}

/**
 * Writes a file whole: it has the old text or the new one, also after a full disk. Undefined removes it.
 *
 * @throws ToolError `unwritable`
 */
export function replaceFile(file: string, text: string | undefined): void {
  const fresh = `${file}.new`;
  try {
    if (text === undefined) return rmSync(file, { force: true });
    writeFileSync(fresh, text);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ToolError('unwritable', `${file}: cannot be written (${code})`, { cause: error });
  }
}
