/**
 * The longest line that is kept, in bytes without its line end. It limits the memory of a process that reads a file
 * without line ends.
 */
export const maxLineBytes = 16_777_216;

/** A line of a file. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** The bytes of the line, without the line feed, or the carriage return and line feed, that ends it. */
  readonly content: Buffer;
  /** Whether the line is longer than `maxLineBytes`. Then its content is empty. */
  readonly isTooLong: boolean;
  /** Bytes from the start of the file to the end of this line. */
  readonly end: number;
}

/** Splits a file into lines. The last one may have no line end. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let end = 0;
  let parts: Buffer[] = [];
  let length = 0;

  function take(part: Buffer): void {
    end += part.byteLength;
    length += part.byteLength;
    if (length <= maxLineBytes + maxEndBytes) parts.push(part);
    else parts = [];
  }

  function endLine(): Line {
    const bytes = withoutEnd(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    const isTooLong = Math.max(bytes.byteLength, length - maxEndBytes) > maxLineBytes;
    parts = [];
    length = 0;
    return { number: ++number, content: isTooLong ? Buffer.alloc(0) : bytes, isTooLong, end };
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let feed = chunk.indexOf('\n'); feed !== -1; feed = chunk.indexOf('\n', start)) {
      take(chunk.subarray(start, feed + 1));
      start = feed + 1;
      yield endLine();
    }
    if (start < chunk.byteLength) take(chunk.subarray(start));
  }
  if (length > 0) yield endLine();
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const maxEndBytes = 2;

function withoutEnd(line: Buffer): Buffer {
  if (line.at(-1) !== lineFeed) return line;
  return line.subarray(0, line.at(-2) === carriageReturn ? -2 : -1);
}
