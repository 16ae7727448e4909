import type { SourceFile } from './source-file.js';

/** Where something is written: `start` and `end` are offsets into the text of `file`. */
export interface Place {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** A place as `path:line`. */
export function formatPlace({ file, start }: Place): string {
  return `${file.path}:${file.lineAt(start)}`;
}
