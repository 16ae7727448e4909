/** The text of one file and where its lines start. */
export class SourceFile {
  #lineStarts: readonly number[] | undefined;

  constructor(
    /** As the user wrote it, or relative to the file that references it. */
    readonly path: string,
    readonly text: string,
  ) {}

  /** The 1-based line of an offset. */
  lineAt(offset: number): number {
    this.#lineStarts ??= lineStartsOf(this.text);
    let low = 0;
    let high = this.#lineStarts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** From `offset` to the end of its line, without the line break. */
  restOfLine(offset: number): string {
    const end = this.text.indexOf('\n', offset);
    return this.text.slice(offset, end === -1 ? undefined : end).trimEnd();
  }
}

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

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
