import { writeFileSync } from 'node:fs';
import { readTextFile } from '../read/read-text-file.js';
import { ToolError } from '../read/tool-error.js';
import type { ExitCode, Output } from './command.js';

/** A page that a command generates. */
export interface GeneratedPage {
  readonly file: string;
  readonly text: string;
  /** What it is generated from, as in `what the register says`. */
  readonly source: string;
  /** The command that writes it. */
  readonly mend: string;
}

/**
 * Writes the page, or only holds the file against it.
 *
 * @throws ToolError `unreadable` if the file cannot be written
 */
export function writeOrCheck(page: GeneratedPage, isCheck: boolean, { out }: Output): ExitCode {
  const { file, text, source, mend } = page;
  if (!isCheck) {
    writeFile(file, text);
    out(`${file}: written\n`);
    return 0;
  }
  const isCurrent = textOf(file) === text;
  out(isCurrent ? `${file}: up to date\n` : `${file}: not what ${source}. Run: ${mend}\n`);
  return isCurrent ? 0 : 1;
}

/** A page that is not there has drifted as well. */
function textOf(file: string): string | undefined {
  try {
    return readTextFile(file);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'unreadable') return undefined;
    throw error;
  }
}

/** @throws ToolError `unreadable` if the file cannot be written */
export function writeFile(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ToolError('unreadable', `${file}: cannot be written: ${(error as Error).message}`);
  }
}
