import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readTextFile } from '../read/read-text-file.js';
import { ToolError } from '../read/tool-error.js';
import type { ExitCode, Output, Values } from './command.js';

/** A page that a command generates. */
export interface GeneratedPage {
  readonly file: string;
  readonly text: string;
  /** The command that writes the page. */
  readonly generator: string;
}

/** Options of a command that writes a page, beside `--output`. */
export const PAGE_OPTIONS = { check: { type: 'boolean', default: false } } as const;

/** What `--help` says about them. */
export const PAGE_HELP = `  --check           write nothing, and fail if the page is missing or out of date

Exit: 0 written or up to date, 1 missing or out of date, 2 the tool could not run.
`;

/**
 * Writes the page, or with `--check` only compares the file with it.
 *
 * @throws ToolError `unwritable` if the file cannot be written
 */
export function writePage(
  { file, text, generator }: GeneratedPage,
  values: Values,
  { out }: Output,
): ExitCode {
  if (values['check'] !== true) {
    writeFile(file, text);
    out(`${file}: written\n`);
    return 0;
  }
  const current = existsSync(file) ? readTextFile(file) : undefined;
  if (current === text) {
    out(`${file}: up to date\n`);
    return 0;
  }
  out(`${file}: ${current === undefined ? 'missing' : 'out of date'}. Fix with: ${generator}\n`);
  return 1;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not write it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** @throws ToolError `unwritable` if the file cannot be written */
export function writeFile(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new ToolError('unwritable', `could not write ${file}: ${REASONS[code] ?? code}`);
  }
}

/**
 * Writes a file that nothing else can make again: it has the old text or the new one, also after a full disk.
 *
 * @throws ToolError `unwritable` if the file cannot be written
 */
export function replaceFile(file: string, text: string): void {
  const fresh = `${file}.new`;
  try {
    writeFile(fresh, text);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
