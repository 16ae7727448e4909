/** The text of one file and where its lines start. */
export class SourceFile {
  #lineStarts: number[] | undefined;

  constructor(
    /** As the user wrote it, or relative to the file that references it. */
    readonly path: string,
    readonly text: string,
  ) {}

  /** The 1-based line of an offset. */
  lineAt(offset: number): number {
    const starts = this.#starts();
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** From `offset` to the end of its line, without the line break. */
  restOfLine(offset: number): string {
    const end = this.text.indexOf('\n', offset);
    return this.text.slice(offset, end === -1 ? undefined : end).trimEnd();
  }

  #starts(): number[] {
    if (this.#lineStarts !== undefined) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf('\n'); at !== -1; at = this.text.indexOf('\n', at + 1)) {
      starts.push(at + 1);
    }
    this.#lineStarts = starts;
    return starts;
  }
}
