import type { SourceFile } from './source-file.js';
import { ToolError } from './tool-error.js';

/** The error for a key that a map has twice. */
export function duplicateKey(file: SourceFile, key: string, second: number, first: number): ToolError {
  const at = `${file.path}:${file.lineAt(second)}`;
  return new ToolError('duplicate-key', `${at}: duplicate key "${key}", first on line ${file.lineAt(first)}`);
}
