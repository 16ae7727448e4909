import type { SourceFile } from './source-node.js';
import { ToolError } from './tool-error.js';

/** How many bytes the files of one run may have together. A process is one run. */
const MAX_INPUT_BYTES = 64_000_000;

/** How many values the files of one run may have together. Those of GitHub's whole interface are 136,000. */
export const MAX_VALUES = 2_000_000;

/** How deep a file may nest. No interface needs it; a file that goes deeper is an accident or an attack. */
export const MAX_DEPTH = 500;

let bytesRead = 0;
let valuesRead = 0;

/** How many bytes this run may still read. */
export function bytesLeft(): number {
  return MAX_INPUT_BYTES - bytesRead;
}

/** Counts bytes of a file. @throws ToolError `too-large` if the files of this run have too many together */
export function countBytes(path: string, count: number): void {
  const rule = `the files of one run may have ${MAX_INPUT_BYTES} bytes together`;
  if (count > bytesLeft()) throw new ToolError('too-large', `${path}: too large: ${rule}`);
  bytesRead += count;
}

/** Counts a value of a file. @throws ToolError `too-large` if the files of this run have too many together */
export function countValue(file: SourceFile, at: number): void {
  valuesRead += 1;
  if (valuesRead <= MAX_VALUES) return;
  const rule = `the files of one run may have ${MAX_VALUES} values together`;
  throw new ToolError('too-large', `${file.path}:${file.lineAt(at)}: too large: ${rule}`);
}
