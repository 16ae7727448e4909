import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { answers, plainAnswers } from '@plant-store/contract';
import { ANSWERS_SOURCE, codeAnswersOf } from './gate/code-answers.js';
import { gate, type GateReport } from './gate/gate.js';
import { readText, type Source } from './gate/read.js';
import { ToolError } from './tool-error.js';

/** The files of this repository that the tool reads and writes, relative to its root. */
export const FILES = {
  baseline: 'libs/contract/spec/plant-store.openapi.yaml',
  overlay: 'libs/contract/spec/answers.overlay.yaml',
  answers: ANSWERS_SOURCE,
  document: 'apps/webhook/openapi.json',
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

/** The files that the gate compares with the baseline of this repository. */
export interface Compared {
  /** Plain answers of the code, by question. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The text of the document. */
  readonly document: string;
  /** The text of the overlay; undefined if there is none. */
  readonly overlay?: string | undefined;
}

/** What is in the working tree now. @throws ToolError `unreadable` */
export function committedSources(): Compared {
  return {
    answers: plainAnswers(answers),
    document: readSource(FILES.document).text,
    overlay: readIfThere(FILES.overlay)?.text,
  };
}

/** What the gate finds. @throws ToolError if a text cannot be read or understood */
export function gateOf({ answers, document, overlay }: Compared): GateReport {
  return gate({
    baseline: readSource(FILES.baseline),
    document: { text: document, file: FILES.document },
    overlay: overlay === undefined ? undefined : { text: overlay, file: FILES.overlay },
    answers: codeAnswersOf(answers),
  });
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
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(fresh, text);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ToolError('unwritable', `${file}: cannot be written (${code})`, { cause: error });
  }
}
